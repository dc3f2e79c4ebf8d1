/** All checks: of what order a backend makes, and of how it behaves. */

import type { Check } from './check.js';
import { CONDUCT_CHECKS } from './conduct/index.js';
import { ORDER_CHECKS } from './order/index.js';

export const CHECKS: readonly Check[] = [...ORDER_CHECKS, ...CONDUCT_CHECKS];
