// What the tabs of a flag's variations and settings make of what was typed: instructions, faults, and where a variation is in use.
import assert from 'node:assert/strict';
import { test } from 'node:test';

/** By its address: these files name others that only the console's own types fit. */
async function load(file: string): Promise<Record<string, (...values: unknown[]) => unknown>> {
  return (await import(new URL(`../../console/flags/${file}`, import.meta.url).href)) as never;
}

const { lineLinkFrom } = await load('code/code-template.ts');
const { generalDraftOf, generalInstructions } = await load('settings/general-draft.ts');
const { usesOf } = await load('variations/variation-uses.ts');
const { draftOf, faultsOf, instructionsOf } = await load('variations/variations-draft.ts');

interface Row {
  rowKey: string;
  text: string;
  name: string;
}

const FLAG = {
  key: 'colour',
  name: 'Colour',
  kind: 'multivariate',
  description: '',
  version: 4,
  temporary: true,
  archived: false,
  deprecated: false,
  tags: ['web', 'old'],
  creationDate: 1,
  maintainerId: 'm1',
  clientSideAvailability: { usingEnvironmentId: true, usingMobileKey: false },
  defaults: { onVariation: 0, offVariation: 1 },
  variations: [
    { _id: 'a', value: 'blue' },
    { _id: 'b', value: 'green', name: 'Green' },
    { _id: 'c', value: 'red' },
  ],
  environments: {
    test: {
      on: true,
      lastModified: 1,
      version: 1,
      _environmentName: 'Test',
      fallthrough: {
        rollout: {
          variations: [
            { variation: 0, weight: 100_000 },
            { variation: 2, weight: 0 },
          ],
        },
      },
      rules: [{ variation: 1 }, { variation: 1 }],
      targets: [{ values: ['ada'], variation: 1 }],
      contextTargets: [{ values: ['acme', 'ajax'], variation: 1, contextKind: 'org' }],
      offVariation: 1,
    },
  },
};

test('a variation that is served anywhere says where; one with a share of nothing is free', () => {
  assert.deepEqual(usesOf!(FLAG, 0), ['test: default rule', 'default of new environments']);
  assert.deepEqual(usesOf!(FLAG, 1), ['test: 2 rules, 3 targets, when off', 'default of new environments']);
  assert.deepEqual(usesOf!(FLAG, 2), []);
});

test('variations are changed and added before the defaults name them, and removed at last', () => {
  const before = draftOf!(FLAG, 'string') as { rows: Row[] };
  const [blue, green, red] = before.rows;
  const added = { rowKey: 'new 1', text: 'violet', name: 'Violet', description: '', isRemoved: false };
  const after = {
    rows: [{ ...blue!, text: 'navy' }, { ...green!, name: '' }, { ...red!, isRemoved: true }, added],
    onDefault: 3,
    offDefault: 1,
  };
  assert.deepEqual(instructionsOf!(FLAG, before, after), [
    { kind: 'updateVariation', variationId: 'a', value: 'navy' },
    { kind: 'updateVariation', variationId: 'b', name: '' },
    { kind: 'addVariation', value: 'violet', name: 'Violet' },
    { kind: 'updateDefaultVariation', onVariationValue: 'violet', offVariationValue: 'green' },
    { kind: 'removeVariation', variationId: 'c' },
  ]);
  assert.deepEqual(instructionsOf!(FLAG, before, before), []);
});

test('a value that is no number, no JSON or there already is a fault of its row', () => {
  const row = (text: string) => ({ rowKey: text, text, name: '', description: '', isRemoved: false });
  const faultsIn = (texts: string[], type: 'number' | 'json') => {
    const faults = faultsOf!({ rows: texts.map(row), onDefault: 0, offDefault: 1 }, type);
    return [...(faults as Map<string, string>).keys()];
  };
  assert.deepEqual(faultsIn(['1', '1.0', 'x', '', 'Infinity'], 'number'), ['1.0', 'x', '', 'Infinity']);
  assert.deepEqual(faultsIn(['{"a":1}', '{ "a": 1 }', '{a}', '[]'], 'json'), ['{ "a": 1 }', '{a}']);
});

test('settings become the instructions of what differs, and nothing else', () => {
  const before = generalDraftOf!(FLAG) as object;
  assert.deepEqual(generalInstructions!(before, before), []);
  const after = {
    ...before,
    name: ' Hue ',
    tags: ['new', 'web'],
    isTemporary: false,
    usingMobileKey: true,
    maintainerKind: 'team',
    team: 'web',
  };
  assert.deepEqual(generalInstructions!(before, after), [
    { kind: 'updateName', value: 'Hue' },
    { kind: 'addTags', values: ['new'] },
    { kind: 'removeTags', values: ['old'] },
    { kind: 'makeFlagPermanent' },
    { kind: 'turnOnClientSideAvailability', value: 'usingMobileKey' },
    { kind: 'updateMaintainerTeam', value: 'web' },
  ]);
});

test('a line of code is linked by the template of its repository, and never to what is no page', () => {
  const place = { branch: 'main', file: 'src/a b.ts', line: 7 };
  const template = 'https://git.example/x/blob/${branchName}/${filePath}#L${lineNumber}';
  assert.equal(lineLinkFrom!(template, place), 'https://git.example/x/blob/main/src/a%20b.ts#L7');
  for (const bad of ['', 'javascript:alert(1)//${filePath}', '//git.example/${filePath}'])
    assert.equal(lineLinkFrom!(bad, place), undefined, bad);
});
