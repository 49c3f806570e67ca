// Writes the table of settings into the README from src/app/config.ts. --check only checks that it is current.
import { readFileSync, writeFileSync } from 'node:fs';
import { readSettings } from '../src/app/read-settings.ts';
import { reportSettings } from '../src/app/report-settings.ts';
import { markdownTable } from '../src/cli/io.ts';

const README = new URL('../README.md', import.meta.url);
const BETWEEN = /(?<=<!-- settings: written by npm run settings -->\n\n)[^]*?(?=\n\n<!-- \/settings -->)/;

const rows = reportSettings(readSettings({ flags: {}, env: {}, file: {} })).map(
  ({ flag, env, value, default: usual, description }) => [
    flag === undefined ? 'none: a secret' : `\`${flag}\``,
    `\`${env}\``,
    // The default: a description or a value.
    usual === '' ? 'none' : usual.includes(' ') || value === '' ? usual : `\`${usual}\``,
    description,
  ],
);
const text = readFileSync(README, 'utf8');
if (!BETWEEN.test(text)) throw new Error('The README has no place for the table of settings.');
const fresh = text.replace(BETWEEN, () => markdownTable(['Flag', 'Environment', 'Default', 'Meaning'], rows));

if (!process.argv.includes('--check')) writeFileSync(README, fresh);
else if (fresh !== text) {
  console.log(
    'The table of settings in the README is not fresh. Run npm run settings and commit the result.',
  );
  process.exitCode = 1;
}
