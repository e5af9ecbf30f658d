/**
 * Sizes, docstrings and names of the code.
 *
 * Function: 70 lines at most, counted without the test callbacks inside it; callbacks of `describe` and of table tests are not
 * counted, each `it` inside them is. File: 400 lines at most. Tables, fixtures and generated files are exempt by their name.
 */
import ts from "typescript";
import { lineOf, parse, visit } from "./syntax.js";
import { CODE, PRODUCT, pick, type Tree } from "./tree.js";

export const FUNCTION_MAX_LINES = 70;
export const FILE_MAX_LINES = 400;

/** Files that are data: message tables, fixtures, golden files, generated files. */
const DATA_FILE = /(^|\/)(words|fixtures|golden|generated|migrations)\/|[-.](table|fixtures|golden|generated)\.\w+$/;

const TEST_CALL = /^(describe|suite|it|test)\b/;

function calledName(node: ts.Node, file: ts.SourceFile): string {
  const call = node.parent;
  if (!call || !ts.isCallExpression(call) || call.expression === node) return "";
  return call.expression.getText(file);
}

function isFunction(node: ts.Node): node is ts.FunctionLikeDeclaration {
  return ts.isFunctionLike(node) && "body" in node && node.body !== undefined;
}

function linesOf(file: ts.SourceFile, node: ts.Node): number {
  return file.getLineAndCharacterOfPosition(node.end).line - lineOf(file, node) + 2;
}

/** Lines of the outermost test callbacks inside a function: they are counted as functions of their own. */
function testLinesInside(file: ts.SourceFile, fn: ts.Node): number {
  let lines = 0;
  const look = (node: ts.Node): void => {
    if (isFunction(node) && TEST_CALL.test(calledName(node, file))) lines += linesOf(file, node);
    else ts.forEachChild(node, look);
  };
  ts.forEachChild(fn, look);
  return lines;
}

function functionFaults(path: string, text: string): string[] {
  const file = parse(path, text);
  const faults: string[] = [];
  visit(file, (node) => {
    if (!isFunction(node)) return;
    const called = calledName(node, file);
    if (/^(describe|suite)\b/.test(called) || /^(it|test)\.(each|for)\b/.test(called)) return;
    const lines = linesOf(file, node) - testLinesInside(file, node);
    const name = node.name?.getText(file) ?? (called ? `callback of ${called.slice(0, 40)}` : "function");
    if (lines > FUNCTION_MAX_LINES) faults.push(`${path}:${lineOf(file, node)}: ${name} has ${lines} lines, ${FUNCTION_MAX_LINES} at most`);
  });
  return faults;
}

/** Functions and files that are too long. */
export function sizeFaults(tree: Tree): string[] {
  return pick(tree, CODE).flatMap(([path, text]) => {
    if (DATA_FILE.test(path)) return [];
    const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
    const long = lines > FILE_MAX_LINES ? [`${path}: ${lines} lines, ${FILE_MAX_LINES} at most`] : [];
    return [...long, ...functionFaults(path, text)];
  });
}

function isExported(node: ts.Node): boolean {
  return ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}

/** The names that one top-level statement exports, each with whether it has a docstring. Re-exports have theirs at home. */
function exportedNames(statement: ts.Statement): { readonly name: ts.Node; readonly documented: boolean }[] {
  if (!isExported(statement)) return [];
  const documented = (node: ts.Node): boolean => ts.getJSDocCommentsAndTags(node).length > 0;
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map((one) => ({ name: one.name, documented: documented(one) }));
  }
  const named = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
  if (named || ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) {
    return [{ name: statement.name ?? statement, documented: documented(statement) }];
  }
  return [];
}

/** Exported names of src and adapters that have no docstring. One docstring of several overloads is enough. */
export function docstringFaults(tree: Tree): string[] {
  return pick(tree, PRODUCT).flatMap(([path, text]) => {
    const file = parse(path, text);
    const names = file.statements.flatMap(exportedNames).map(({ name, documented }) => ({ name, text: name.getText(file), documented }));
    const known = new Set(names.filter(({ documented }) => documented).map((one) => one.text));
    return names.filter((one) => !known.has(one.text)).map((one) => `${path}:${lineOf(file, one.name)}: ${one.text} has no docstring`);
  });
}

/** Whole names of the root that the world knows in capitals. */
const KNOWN_NAMES = new Set(["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "SECURITY.md"]);

/** Files and folders that are not kebab-case, and names that say nothing about what is inside. */
export function nameFaults(tree: Tree): string[] {
  return [...tree.keys()].flatMap((path) => {
    if (KNOWN_NAMES.has(path)) return [];
    const parts = path.split("/").map((part) => part.replace(/^\./, ""));
    const odd = parts.find((part) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/.test(part));
    const empty = parts.find((part) => /(^|[-.])(utils?|helpers?|commons?|misc)([-.]|$)/.test(part));
    return [
      ...(odd ? [`${path}: "${odd}" is not kebab-case`] : []),
      ...(empty ? [`${path}: "${empty}" says nothing about what is inside`] : []),
    ];
  });
}
