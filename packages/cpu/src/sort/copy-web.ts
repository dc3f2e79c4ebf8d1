/** Copies as the language does. */

import { type CopyElements, setArray } from '@keysweep/core';

export const copyElements: CopyElements = setArray;
