// Loaded into a server before it starts: its clock is ahead by as many milliseconds as a file says, which is read again and again.
import { readFileSync } from 'node:fs';

const { SOAK_CLOCK } = process.env;
// Nothing that the process starts has another clock.
delete process.env['SOAK_CLOCK'];
delete process.env['NODE_OPTIONS'];

if (SOAK_CLOCK !== undefined) {
  const real = Date.now.bind(Date);
  let ahead = 0;
  const look = () => {
    try {
      ahead = Number(readFileSync(SOAK_CLOCK, 'utf8')) || 0;
    } catch {
      // It is being written.
    }
  };
  look();
  setInterval(look, 250).unref();
  Date.now = () => real() + ahead;
}
