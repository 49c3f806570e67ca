// A server whose console is reloaded while its sources change: `npm run console`, with the options of `serve`.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { buildConsole } from './console.ts';

const ROOT = dirname(import.meta.dirname);
const PORT = 5173;

// Installs the packages, too.
await buildConsole();
const vite = join(ROOT, 'console/node_modules/vite/bin/vite.js');
// Not a setting of the server, whose names would begin with its own.
const children = [
  spawn(process.execPath, [vite, '--port', String(PORT), '--strictPort', '--host', '127.0.0.1'], {
    cwd: join(ROOT, 'console'),
    stdio: 'inherit',
  }),
  spawn(process.execPath, [join(ROOT, 'launch.mjs'), 'serve', ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, CONSOLE_BUNDLER_URL: `http://127.0.0.1:${PORT}` },
  }),
];
for (const child of children) {
  child.on('exit', () => {
    for (const other of children) other.kill();
  });
}
