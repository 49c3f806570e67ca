// Fakes for tests of the launcher: a Node that is too old, and an npm that needs no network.

/** For `node --import`. */
export const PRETEND_NODE_20 =
  'data:text/javascript,' +
  `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } })`;

/** Installs the packages that package.json or the lockfile names as empty ones, and records its arguments. */
export const FAKE_NPM = `
const fs = require('node:fs');
fs.appendFileSync(process.env.NPM_CALLS, process.argv.slice(2, 4).join(' ') + '\\n');
if (process.env.NPM_SAYS) console.error(process.env.NPM_SAYS);
if (process.env.NPM_EXIT) process.exit(Number(process.env.NPM_EXIT));
fs.mkdirSync('node_modules');
if (process.argv[2] === 'ci') {
  const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
  if (process.argv[3] === '--omit=dev') delete packages['node_modules/tool'];
  fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }));
} else {
  const [[name, version]] = Object.entries(JSON.parse(fs.readFileSync('package.json', 'utf8')).dependencies);
  fs.mkdirSync('node_modules/' + name + '/bin', { recursive: true });
  fs.writeFileSync('node_modules/' + name + '/package.json', JSON.stringify({ version }));
  fs.writeFileSync('node_modules/' + name + '/bin/node', '#!/bin/sh\\nexec ${process.execPath} "$@"', { mode: 0o755 });
}`;
