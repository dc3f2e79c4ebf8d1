/** The checks of what order a backend makes. */

import type { Check } from '../check.js';
import { approximateCheck } from './approximate.js';
import { columnsCheck, orderedColumnsCheck } from './columns.js';
import { endsCheck } from './ends.js';
import { keyBitsCheck } from './key-bits.js';
import { propertyCheck } from './property.js';
import { segmentsCheck } from './segments.js';
import { TYPE_CHECKS } from './types.js';

export const ORDER_CHECKS: readonly Check[] = [
  ...TYPE_CHECKS,
  segmentsCheck,
  keyBitsCheck,
  endsCheck,
  columnsCheck,
  orderedColumnsCheck,
  approximateCheck,
  propertyCheck,
];
