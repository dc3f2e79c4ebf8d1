import * as keysweep from 'keysweep';
import { sortThrice } from '../../../program.mjs';

export const dynamic = 'force-dynamic';

export const GET = async () => Response.json(await sortThrice(keysweep));
