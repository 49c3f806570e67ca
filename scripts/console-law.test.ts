// What the import law of the console finds, and what it allows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findConsoleViolations } from './console-law.ts';

const rulesFor = (path: string, text: string) =>
  findConsoleViolations(new Map([[path, text]])).map(({ line, rule }) => `${line}: ${rule}`);

test('a section uses what is below it, and no other section', () => {
  const text =
    "import { a } from '../ui/a.tsx';\nimport { b } from '../../app/b.ts';\nimport { c } from '../../flags/c.ts';\n";
  assert.deepEqual(rulesFor('console/account/tokens/page.tsx', text), ['3: account must not import flags']);
  assert.deepEqual(rulesFor('console/flags/page.tsx', "import '../styles/a.css';\nimport './b.ts';\n"), []);
});

test('widgets and calls know nothing of pages, nor of each other', () => {
  const text = "import { a } from '../api/a.ts';\n";
  assert.deepEqual(rulesFor('console/ui/a.tsx', text), ['1: ui must not import api']);
  assert.deepEqual(rulesFor('console/lib/a.tsx', text), []);
  assert.deepEqual(rulesFor('console/api/a.ts', "import { b } from '../ui/b.ts';\n"), [
    '1: api must not import ui',
  ]);
});

test('the frame loads sections when they are opened, and not before', () => {
  assert.deepEqual(
    rulesFor('console/app/pages.tsx', "page('/', () => import('../home/home-page.tsx'));\n"),
    [],
  );
  assert.deepEqual(rulesFor('console/app/pages.tsx', "import { a } from '../home/a.ts';\n"), [
    '1: app must not import home',
  ]);
});

test('nothing of the server is imported', () => {
  assert.deepEqual(rulesFor('console/api/a.ts', "import { b } from '../../src/b.ts';\n"), [
    '1: the console talks to the server by HTTP only',
  ]);
});
