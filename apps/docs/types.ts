/**
 * What an editor would show for the names in the blocks of code: the compiler's own words. They
 * are files beside the pages, which a reader who points at no name never loads.
 */

import { join } from 'node:path';
import ts from 'typescript';
import type { TypedBlock, TypedName } from './.vitepress/theme/typed-block.js';
import { BLOCKS, type Block, filesOf } from './blocks/code-blocks.js';
import { pageOf, ROOT } from './pages.js';

/** The blocks of each page, by the page's path on the site: those of docs/api.md by `api.md`. */
export function readTypes(blocks: readonly Block[]): Map<string, TypedBlock[]> {
  const service = serve(filesOf(blocks));
  const pages = new Map<string, TypedBlock[]>();
  for (const { place, file, code } of blocks) {
    const page = pageOf(place.replace(/:\d+$/, '')) as string;
    const names = namesOf(service, join(BLOCKS, file));
    pages.set(page, [...(pages.get(page) ?? []), { code: code.trimEnd(), names }]);
  }
  return pages;
}

/** An editor's service, to which these files are on the disk, too. */
function serve(files: ReadonlyMap<string, string>): ts.LanguageService {
  const added = new Map([...files].map(([file, text]) => [join(BLOCKS, file), text]));
  const fileExists = (file: string): boolean => added.has(file) || ts.sys.fileExists(file);
  const readFile = (file: string): string | undefined => added.get(file) ?? ts.sys.readFile(file);
  const { config } = ts.readConfigFile(join(BLOCKS, 'tsconfig.json'), readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, BLOCKS);
  const blocks = [...added.keys()].filter((file) => /\.m?[jt]s$/.test(file));
  return ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    fileExists,
    readFile,
    getScriptFileNames: () => [...new Set([...blocks, ...fileNames])],
    getScriptVersion: () => '',
    getScriptSnapshot: (file) => {
      const text = readFile(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => ROOT,
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
}

function namesOf(service: ts.LanguageService, file: string): TypedName[] {
  const program = service.getProgram() as ts.Program;
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file) as ts.SourceFile;
  const names: TypedName[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) {
      const from = node.getStart();
      const text = textOf(service, checker, node);
      if (text !== undefined) names.push({ from, to: node.end, ...text });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

/** Undefined for a name of the language or of the DOM, or of which nothing is known. */
function textOf(
  service: ts.LanguageService,
  checker: ts.TypeChecker,
  node: ts.Identifier,
): Pick<TypedName, 'type' | 'about'> | undefined {
  const symbol = checker.getSymbolAtLocation(node);
  const declaration = symbol && resolved(checker, symbol).declarations?.[0];
  if (!declaration || declaration.getSourceFile().fileName.includes('/node_modules/'))
    return undefined;
  const info = service.getQuickInfoAtPosition(node.getSourceFile().fileName, node.getStart());
  const type = ts
    .displayPartsToString(info?.displayParts)
    .replace(/^\(alias\) /, '')
    .replace(/\nimport .*$/, '');
  if (type === '' || /: any(\[\])?$/.test(type)) return undefined;
  // A name that blocks don't declare stands for a function of ours, whose words these are.
  const [call] = checker.getTypeAtLocation(node).getCallSignatures();
  const own = info?.documentation ?? [];
  const docs = own.length > 0 ? own : call?.getDocumentationComment(checker);
  const [about = ''] = ts.displayPartsToString(docs).split('\n\n');
  return { type, about: about.replaceAll('\n', ' ').replace(/\{@link (.*?)\}/g, '$1') };
}

const resolved = (checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
