/** An entry of package-lock.json. */
export interface Locked {
  readonly link?: boolean;
  readonly resolved?: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export function problemsOf(
  packages: Readonly<Record<string, Locked>>,
  published: readonly string[],
): string[];

export function publishedIn(root: string, packages: Readonly<Record<string, Locked>>): string[];
