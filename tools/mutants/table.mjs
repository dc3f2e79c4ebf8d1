/** What is printed of mutants. */

import { packageOf } from './choose.mjs';

const short = (text) => {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 120 ? `${line.slice(0, 117)}…` : line;
};

/** A survivor in a line. */
export const lineOf = ({ file, line, mutator, before, after, status }) =>
  `${status} ${file}:${line} ${mutator}: ${short(before)} → ${short(after)}`;

/** The table by package: what there is, what was tried, and the share that tests noticed. */
export function tableOf(mutants, tried) {
  const rows = [...new Set(mutants.map(packageOf))].map((folder) => {
    const inIt = (list) => list.filter((mutant) => packageOf(mutant) === folder);
    const of = (status) => inIt(tried).filter((mutant) => mutant.status === status).length;
    const [killed, survived, uncovered] = ['killed', 'survived', 'uncovered'].map(of);
    const count = killed + survived + uncovered;
    const score = count === 0 ? '' : `${((100 * killed) / count).toFixed(1)} %`;
    return [folder, inIt(mutants).length, count, killed, survived, uncovered, score];
  });
  const head = ['package', 'mutants', 'tried', 'killed', 'survived', 'no test', 'score'];
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
