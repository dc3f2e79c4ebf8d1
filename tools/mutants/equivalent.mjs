/**
 * Mutants that somebody has read and that no caller can tell from the code as it is: the file, its
 * line, the text before and after as survivors are listed, and why. They are not tried. They stand
 * by package in the folder equivalent.
 */

import arrow from './equivalent/arrow.mjs';
import cli from './equivalent/cli.mjs';
import core from './equivalent/core.mjs';
import cpu from './equivalent/cpu.mjs';
import external from './equivalent/external.mjs';
import files from './equivalent/files.mjs';
import keysweep from './equivalent/keysweep.mjs';

export const EQUIVALENT = [arrow, cli, core, cpu, external, files, keysweep].flat();
