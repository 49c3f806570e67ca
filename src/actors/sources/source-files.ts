// Writes the source files of a version into a folder.
import type { SourceFile, SourceFolder } from '../actors/version.ts';
import { ARCHIVE_LIMITS, ArchiveBudget } from './archive-limits.ts';
import { FolderWriter } from './folder-writer.ts';

export async function writeSourceFiles(
  files: readonly (SourceFile | SourceFolder)[],
  folder: string,
): Promise<void> {
  const writer = new FolderWriter(folder, ARCHIVE_LIMITS, new ArchiveBudget(ARCHIVE_LIMITS));
  for (const file of files) {
    if ('folder' in file) {
      await writer.addFolder(file.name);
      continue;
    }
    const { name, content, format } = file;
    const bytes = Buffer.from(content, format === 'BASE64' ? 'base64' : 'utf8');
    // The platform stores no modes: what begins like a script is one.
    await writer.addFile(name, once(bytes), bytes.subarray(0, 2).equals(SHEBANG));
  }
}

const SHEBANG = Buffer.from('#!');

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
