/** The checks of how a backend behaves. */

import type { Check } from '../check.js';
import { INTERRUPTION_CHECKS } from './interruptions.js';
import { LIFETIME_CHECKS } from './lifetime.js';
import { REQUEST_CHECKS } from './requests.js';
import { VIEW_CHECKS } from './views.js';

export const CONDUCT_CHECKS: readonly Check[] = [
  ...VIEW_CHECKS,
  ...INTERRUPTION_CHECKS,
  ...REQUEST_CHECKS,
  ...LIFETIME_CHECKS,
];
