// Splits the output of git into records that NUL ends.
import { Failure } from '../../../kernel/failure.ts';

const MAX_RECORD_BYTES = 1024 * 1024;

export async function* splitRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, start)) {
      yield bytes.subarray(start, end);
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > MAX_RECORD_BYTES)
      throw new Failure('too-large', 'The repository has a file name that is too long.');
  }
}
