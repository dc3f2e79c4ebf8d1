/** An editor shows a docstring for every name that a package exports, and for each of its parts. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../pages.js';

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports: Record<
    string,
    { readonly types?: string; readonly import?: { types: string } }
  >;
}

/** The declarations of each thing to import: '@keysweep/cpu/sync' and its file. */
const entries = readdirSync(join(ROOT, 'packages')).flatMap((folder) => {
  const path = join(ROOT, 'packages', folder);
  const text = readFileSync(join(path, 'package.json'), 'utf8');
  const { name, private: isPrivate, exports } = JSON.parse(text) as Manifest;
  // The suite's checks and inputs are for those who read them.
  if (isPrivate || folder === 'conformance') return [];
  // What our own packages share is described where it stands.
  const open = Object.entries(exports).filter(([at]) => at !== './internal');
  return open.map(([at, { types, import: imported }]) => ({
    name: join(name, at),
    file: join(path, types ?? imported?.types ?? ''),
  }));
});

const program = ts.createProgram(
  entries.map(({ file }) => file),
  {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    skipLibCheck: true,
  },
);
const checker = program.getTypeChecker();

/** Whether it says anything: a text, or what it throws. */
const isDescribed = (symbol: ts.Symbol): boolean =>
  symbol.getDocumentationComment(checker).length > 0 || symbol.getJsDocTags(checker).length > 0;

/** The parts of an interface or class that a program can use. */
function partsOf(symbol: ts.Symbol): readonly ts.Symbol[] {
  const declaration = symbol.declarations?.find(
    (one) => ts.isInterfaceDeclaration(one) || ts.isClassDeclaration(one),
  );
  return (declaration?.members ?? []).flatMap((member) => {
    const isHidden = ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private;
    // Private fields are one, called #private; that of `using`, and an error's name, say all.
    if (member.name === undefined || isHidden || !ts.isIdentifier(member.name)) return [];
    if (member.name.text === 'name' && /Error$/.test(symbol.name)) return [];
    return checker.getSymbolAtLocation(member.name) ?? [];
  });
}

function undescribed(file: string): string[] {
  const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile);
  // The worker's file exports nothing.
  const exported = module === undefined ? [] : checker.getExportsOfModule(module);
  return exported.flatMap((name) => {
    const isAlias = (name.flags & ts.SymbolFlags.Alias) !== 0;
    const symbol = isAlias ? checker.getAliasedSymbol(name) : name;
    const parts = partsOf(symbol).filter((part) => !isDescribed(part));
    return [
      ...(isDescribed(symbol) ? [] : [symbol.name]),
      ...parts.map((part) => `${symbol.name}.${part.name}`),
    ];
  });
}

describe('every name has a docstring', () => {
  it.each(entries)('$name', ({ file }) => {
    expect(undescribed(file)).toEqual([]);
  });
});
