/** Reads documents as their readers do: the fenced blocks, and the `handraise` commands in shell text. */
import { mkdtemp, realpath, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** The contents of the fenced blocks of one language, in order, without the indentation of the list they stand in. */
export function blocks(markdown: string, language: string): readonly string[] {
  const found = [...markdown.matchAll(/^([ ]*)```(\w+)\n([\s\S]*?)^[ ]*```$/gm)];
  return found
    .filter(([, , named]) => named === language)
    .map(([, indent = "", , text = ""]) =>
      text
        .split("\n")
        .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
        .join("\n"),
    );
}

/** One `handraise` command as a document shows it. */
export type ShownCommand = { readonly name: string; readonly options: readonly string[] };

const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'/g;

/** The `handraise` commands of a shell text; what stands in quotes is no option. */
export function shownCommands(shell: string): readonly ShownCommand[] {
  const plain = shell
    .replace(/\\\n/g, " ")
    .replace(/^\s*#.*$/gm, "")
    .replace(QUOTED, "QUOTED");
  return [...plain.matchAll(/(?:^|[\s($])handraise ([a-z]+)([^|&;)\n]*)/gm)].map(([, name = "", rest = ""]) => ({
    name,
    options: [...rest.matchAll(/(?<=\s)--[a-z][\w-]*/g)].map(([option]) => option),
  }));
}

/** A folder outside the repository in which TypeScript files see this repository's sources as the package `handraise`. */
export async function projectWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "handraise-docs-")));
  const source = (path: string): readonly string[] => [join(root, "src", path)];
  const project = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      incremental: false,
      tsBuildInfoFile: null,
      noUnusedLocals: false,
      paths: {
        handraise: source("index.ts"),
        "handraise/client": source("client/index.ts"),
        "handraise/testing": source("testing/index.ts"),
        "handraise/testing/contract": source("testing/contract/index.ts"),
      },
    },
    include: ["*.ts"],
  };
  await symlink(join(root, "node_modules"), join(folder, "node_modules"), "dir");
  const all = { "tsconfig.json": JSON.stringify(project), "package.json": '{"type":"module"}', ...files };
  await Promise.all(Object.entries(all).map(([name, text]) => writeFile(join(folder, name), text)));
  return folder;
}
