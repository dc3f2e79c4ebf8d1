/**
 * Addresses and errors for people. An address may hold a password or a token, and must not give it
 * away in a message, because messages end up in logs and reports. Everything that prints an address
 * goes through here.
 */

import { inspect } from 'node:util';

/** The longest line that somebody else's text becomes. */
const LONGEST = 1000;

/**
 * An address without user, password and query: `redis://:secret@host:6379/1?password=x` becomes
 * `redis://host:6379/1`. If it isn't clear where a password ends, only the scheme is left. Names
 * that are no addresses, such as paths, stay as they are.
 */
export function shownAddress(address: string): string {
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(address) ?? [];
  // Files have no passwords.
  if (scheme === undefined || /^file$/i.test(scheme)) return address;
  const isObject = /^s3$/i.test(scheme);
  const isStore = /^(redis|postgres)/i.test(scheme);
  const [authority = ''] = /^[^/?#]*/.exec(rest) ?? [];
  const path = rest.slice(authority.length);
  // A password with a '/' in it makes a path with an '@'. Keys of objects may have that, too.
  if (path.includes('@') && (isStore || authority.includes(':'))) return `${scheme}://…`;
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  // A key of an object is taken as it stands, but elsewhere a query may hold a password.
  return `${scheme}://${host}${isObject ? path : path.replace(/[?#].*$/s, '')}`;
}

/**
 * Addresses within a text. Those of stores extend to the last '@', because a password that was not
 * encoded may hold spaces and quotes. The lengths of a scheme and of a password have bounds,
 * because a long text from elsewhere would take the square of its length otherwise.
 */
const ADDRESSES =
  /\b(?:(?:rediss?|postgres(?:ql)?):\/\/(?:.{0,4096}@)?|[a-z][a-z0-9+.-]{0,63}:\/\/)[^\s'"]*/gis;

/** A text with every address in it as `shownAddress` has it. */
export const withoutSecrets = (text: string): string => text.replace(ADDRESSES, shownAddress);

/** No user and password of an address are longer: see `ADDRESSES`. */
const TAIL = 2 * 4096;

/**
 * The beginning of a text without secrets, for a message that shows at most `most` characters of
 * it. A text of megabytes would keep `withoutSecrets` for half a minute, and a message shows little
 * of it. A password that was cut has no '@' behind it, so the end goes where the text was cut.
 */
export function startWithoutSecrets(text: string, most: number): string {
  const looked = most + 2 * TAIL;
  if (text.length <= looked) return withoutSecrets(text);
  const start = withoutSecrets(text.slice(0, looked));
  return `${start.slice(0, Math.max(0, start.length - TAIL))}…`;
}

/**
 * A text from elsewhere, such as the store, as one line of a message: no secrets, no sequences that
 * a terminal obeys, and no more than fits on a page.
 */
export function shownLine(text: unknown): string {
  const line = startWithoutSecrets(String(text), LONGEST)
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

/** Shorter passwords are no words to look for in a message: they'd be found in every one. */
const SHORTEST = 4;

/** What an address holds that nobody else may see, in every form that a driver may print. */
export function secretsIn(address: string): readonly string[] {
  const [, credentials = ''] = /^[^:]*:\/\/(.*)@/s.exec(address) ?? [];
  const password = credentials.slice(credentials.indexOf(':') + 1);
  const [, query = ''] = /\?([^#]*)/.exec(address) ?? [];
  const inQuery = [...new URLSearchParams(query)]
    .filter(([name]) => /pass|secret|token|key/i.test(name))
    .map(([, value]) => value);
  const raw = [password, ...inQuery].filter((one) => one.length >= SHORTEST);
  const decoded = raw.map(decodedOf).filter((one) => one.length >= SHORTEST);
  const all = new Set([...(raw.length > 0 ? [address] : []), ...raw, ...decoded]);
  // The longest first: one may be a part of another.
  return [...all].sort((a, b) => b.length - a.length);
}

function decodedOf(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * `error`, or one of the same name and code in its place if anything in it holds a secret: drivers
 * keep the command that failed in their errors, and with it the password.
 */
export function withoutSecretsIn(error: Error, secrets: readonly string[]): Error {
  const all = inspect(error, { depth: 4, showHidden: true, maxStringLength: null });
  // An address that is none is kept by the error that says so.
  const { code, input } = error as NodeJS.ErrnoException & { readonly input?: unknown };
  const texts = [error.message, typeof input === 'string' ? input : ''];
  const isClean =
    !secrets.some((secret) => all.includes(secret)) &&
    texts.every((text) => withoutSecrets(text) === text);
  if (isClean) return error;
  let { message } = error;
  for (const secret of secrets) message = message.replaceAll(secret, '…');
  const clean = new Error(withoutSecrets(message));
  clean.name = error.name;
  return code === undefined ? clean : Object.assign(clean, { code });
}
