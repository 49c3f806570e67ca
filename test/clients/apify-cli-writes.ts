// Loaded into the process of `apify-cli` before itself. `apify push` packs a large Actor into a file and reads that
// file without waiting until it is written, so that on a busy machine it uploads only a part of the archive. Here what
// is written to a file is in the file at once.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Writable } from 'node:stream';

function writeAtOnce(path: string): Writable {
  const file = fs.openSync(path, 'w');
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      fs.writeSync(file, chunk);
      done();
    },
    destroy(error, done) {
      fs.closeSync(file);
      done(error);
    },
  });
}

Object.assign(fs, { createWriteStream: writeAtOnce });
syncBuiltinESMExports();
