/** What the page and its worker say to each other. */

import type { Column } from '@keysweep/files';
import type { KeyType } from 'keysweep';
import type { Facts } from '../device/facts.js';
import type { RunNews } from '../measure/run.js';
import type { Settings } from '../settings/settings.js';

export interface Source {
  readonly file: File;
  /** Of its values, where it is a raw file. */
  readonly rawType: KeyType;
}

/** What can be asked, with its answer. */
export interface Questions {
  /** What is here? */
  look: { ask: Record<never, never>; answer: Facts };
  /** Runs a comparison; the answer comes when it is over. */
  measure: { ask: { settings: Settings }; answer: undefined };
  /** Opens a file and says what columns it has. */
  open: { ask: Source; answer: readonly Column[] };
  /** Measures on a column of a file; settings' key type is the column's. */
  sortColumn: { ask: { source: Source; column: string; settings: Settings }; answer: undefined };
}
export type QuestionKind = keyof Questions;

/** A question from the page, with a number for its answer. */
export type Question = {
  [K in QuestionKind]: { readonly kind: K; readonly id: number; readonly ask: Questions[K]['ask'] };
}[QuestionKind];

/** From the page: questions, and words to the run that goes on. */
export type ToWorker = Question | { readonly kind: 'pause' | 'resume' | 'cancel' };

/** To the page. */
export type ToPage =
  | { readonly kind: 'news'; readonly id: number; readonly news: RunNews }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly message: string;
      readonly cancelled: boolean;
    };
