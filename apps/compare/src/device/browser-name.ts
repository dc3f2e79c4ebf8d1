/** A browser's displayed name. */

/** "Chrome 147 on Linux", or the whole user agent string. */
export function browserName(userAgent: string): string {
  const names: readonly [RegExp, string][] = [
    [/Edg\/(\d+)/, 'Edge'],
    [/OPR\/(\d+)/, 'Opera'],
    [/HeadlessChrome\/(\d+)/, 'Headless Chromium'],
    [/Firefox\/(\d+)/, 'Firefox'],
    [/Chrome\/(\d+)/, 'Chrome'],
    [/Version\/(\d+).*Safari/, 'Safari'],
  ];
  const systems: readonly [RegExp, string][] = [
    [/Android/, 'Android'],
    [/iPhone|iPad/, 'iOS'],
    [/Windows/, 'Windows'],
    [/Mac OS X/, 'macOS'],
    [/CrOS/, 'ChromeOS'],
    [/Linux/, 'Linux'],
  ];
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1];
  for (const [pattern, name] of names) {
    const version = pattern.exec(userAgent)?.[1];
    if (version !== undefined) return `${name} ${version}${system ? ` on ${system}` : ''}`;
  }
  return userAgent;
}
