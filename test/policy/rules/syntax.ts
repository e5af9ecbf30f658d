/** What the rules need from the TypeScript compiler's syntax tree: parsing, line numbers, imports. No types are resolved. */
import { posix } from "node:path";
import ts from "typescript";

export function parse(path: string, text: string): ts.SourceFile {
  const kind = path.endsWith(".ts") ? ts.ScriptKind.TS : ts.ScriptKind.JS;
  return ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true, kind);
}

export function lineOf(file: ts.SourceFile, node: ts.Node): number {
  return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
}

/** Calls `see` for every node, parents first. */
export function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node);
  ts.forEachChild(node, (child) => visit(child, see));
}

/** One import or re-export. `typeOnly`: nothing of it is left when the program runs. */
export type Import = { readonly specifier: string; readonly typeOnly: boolean; readonly line: number };

function importOf(node: ts.Node): { specifier: ts.Expression; typeOnly: boolean } | undefined {
  // `import { type A }` keeps an empty import under verbatimModuleSyntax, so only `import type` counts as gone at run time.
  if (ts.isImportDeclaration(node)) return { specifier: node.moduleSpecifier, typeOnly: node.importClause?.isTypeOnly === true };
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) return { specifier: node.moduleSpecifier, typeOnly: node.isTypeOnly };
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal))
    return { specifier: node.argument.literal, typeOnly: true };
  const [first] = ts.isCallExpression(node) ? node.arguments : [];
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword && first)
    return { specifier: first, typeOnly: false };
  return undefined;
}

/** Every import of a file: static, dynamic, of types, and re-exports. */
export function importsOf(path: string, text: string): Import[] {
  const file = parse(path, text);
  const found: Import[] = [];
  visit(file, (node) => {
    const seen = importOf(node);
    if (seen && ts.isStringLiteralLike(seen.specifier))
      found.push({ specifier: seen.specifier.text, typeOnly: seen.typeOnly, line: lineOf(file, node) });
  });
  return found;
}

/** The repository path that a relative import means (`./a.js` is the file `a.ts`), or undefined for a package. */
export function targetOf(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return posix.join(posix.dirname(from), specifier).replace(/\.js$/, ".ts");
}

/** `@scope/name/door` and `name/door` without their door. */
export function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
