// Writes the source files of a version into a folder.
import { ARCHIVE_LIMITS, ArchiveBudget } from './archive-limits.ts';
import type { SourceFile } from './fetched-sources.ts';
import { FolderWriter } from './folder-writer.ts';

export async function writeSourceFiles(files: readonly SourceFile[], folder: string): Promise<void> {
  const writer = new FolderWriter(folder, ARCHIVE_LIMITS, new ArchiveBudget(ARCHIVE_LIMITS));
  for (const { name, format, content = '', folder: isFolder } of files) {
    if (isFolder === true) {
      await writer.addFolder(name);
      continue;
    }
    const bytes = Buffer.from(content, format === 'BASE64' ? 'base64' : 'utf8');
    // The platform stores no modes: what begins like a script is one.
    await writer.addFile(name, once(bytes), bytes.subarray(0, 2).equals(SHEBANG));
  }
}

const SHEBANG = Buffer.from('#!');

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
