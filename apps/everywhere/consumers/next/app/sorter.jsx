'use client';

import * as keysweep from 'keysweep';
import { useEffect } from 'react';
import { sortThrice } from '../program.mjs';

export default function Sorter() {
  useEffect(() => {
    sortThrice(keysweep).then((outcome) => {
      globalThis.outcome = outcome;
    });
  }, []);
  return <p>A consumer of keysweep</p>;
}
