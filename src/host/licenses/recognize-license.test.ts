// Licences that are recognised by their texts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { cpuMsOf } from '../../../test/cpu-time.ts';
import { OTHER_LICENSE_ID } from './license.ts';
import { MAX_LICENSE_BYTES, recognizeLicense } from './recognize-license.ts';

const load = createRequire(import.meta.url);
const textOf = (id: string) =>
  (load(`spdx-license-list/licenses/${id}.json`) as { licenseText: string }).licenseText;

test('texts are recognised with any holder, in any lines, and with or without their appendices', async () => {
  const mit = textOf('MIT').replace('<year> <copyright holders>', '2001, Ada Lovelace & friends');
  const [terms = ''] = textOf('Apache-2.0').split('END OF TERMS');
  for (const [text, id] of [
    [mit, 'MIT'],
    [mit.replaceAll(/\s+/g, ' ').toUpperCase(), 'MIT'],
    [`# The licence\n\n${mit}`, 'MIT'],
    [terms, 'Apache-2.0'],
    [readFileSync(new URL('../../../LICENSE', import.meta.url), 'utf8'), 'Apache-2.0'],
    ...['ISC', '0BSD', 'MIT-0', 'BSD-2-Clause', 'GPL-2.0', 'AGPL-3.0', 'LGPL-2.1'].map((one) => [
      textOf(one),
      one,
    ]),
    [
      `${mit}\n\nThis licence does not apply on Sundays, and never to the authors of other programs.`,
      OTHER_LICENSE_ID,
    ],
    ['Do what you want.', OTHER_LICENSE_ID],
    ['', OTHER_LICENSE_ID],
  ] as [string, string][])
    assert.equal(await recognizeLicense(text, null), id, text.slice(0, 100));
});

test('of licences with the same text it is the one that was chosen', async () => {
  const text = textOf('GPL-3.0-or-later');
  assert.equal(await recognizeLicense(text, null), 'GPL-3.0');
  assert.equal(await recognizeLicense(text, 'GPL-3.0-or-later'), 'GPL-3.0-or-later');
  assert.equal(await recognizeLicense(textOf('Beerware'), 'Beerware'), 'Beerware');
  assert.equal(await recognizeLicense('something else', OTHER_LICENSE_ID), OTHER_LICENSE_ID);
});

test('no text takes long', async () => {
  for (const part of [
    'copyright ',
    'gnu lesser general public license gnu general public license ',
    ' \n',
    '- ',
  ])
    assert.ok(
      (await cpuMsOf(() => recognizeLicense(part.repeat(MAX_LICENSE_BYTES / part.length), null))) < 5000,
    );
});
