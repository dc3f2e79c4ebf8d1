/** The page of subcommands that run in a browser: they, or a test, call its tasks. */

import { cpu } from '@keysweep/cpu';
import { webgl2 } from '@keysweep/webgl2';
import { webgpu } from '@keysweep/webgpu';
import { type Backend, builtin } from 'keysweep';
import { measureRegret, type Regret, type RegretOptions } from '../regret/measure.js';
import { type PageSoak, type PageWord, soakInPage } from '../soak/in-page.js';
import { checkWebgl2 } from './webgl2-check.js';

/** The default backends, and where gpu.js is. */
const backends = (): Backend[] => [
  webgpu(),
  cpu(),
  webgl2({ load: () => import('gpu.js') }),
  builtin(),
];

const regret = (options: Omit<RegretOptions, 'backends'>): Promise<Regret> =>
  measureRegret({ ...options, backends });

/** What the page offers, under the global name keysweepTasks. */
export interface PageTasks {
  readonly checkWebgl2: typeof checkWebgl2;
  readonly regret: typeof regret;
}

const tasks: PageTasks = { checkWebgl2, regret };
Object.assign(globalThis, { keysweepTasks: tasks });
document.title = 'ready';

// A browser that nothing drives has the task in the page's address, and sends back its result.
const asked = new URLSearchParams(location.hash.slice(1));
const task = asked.get('regret');
if (task !== null) {
  const result = await tasks.regret(JSON.parse(task)).catch((error) => ({ error: `${error}` }));
  await fetch('result', { method: 'POST', body: JSON.stringify(result) });
  document.title = 'done';
}

const soak = asked.get('soak');
if (soak !== null) {
  const tell = async (word: PageWord): Promise<'on' | 'over'> => {
    const answer = await fetch('result', { method: 'POST', body: JSON.stringify(word) });
    return (await answer.text()) as 'on' | 'over';
  };
  await soakInPage(JSON.parse(soak) as PageSoak, tell);
}
