// How a guide is read: its title, its sections, and their anchors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readGuides } from './guide-files.ts';
import { FIRST_GUIDES, groupGuides, summaryOf } from './guide-groups.ts';
import { parseGuide } from './guide.ts';

test('a guide has a title, what stands before its sections, and the sections with their anchors', () => {
  const { title, intro, sections, text } = parseGuide(
    'x',
    '# Back `up`\n\nFirst.\n\n## The secret key (and more)\n\nOne.\n\n### Twice\n\nTwo.\n\n## Twice\n\nThree.\n',
  );
  assert.equal(title, 'Back up');
  assert.equal(intro, 'First.');
  assert.deepEqual(sections, [
    { title: 'The secret key (and more)', anchor: 'the-secret-key-and-more', text: 'One.' },
    { title: 'Twice', anchor: 'twice', text: 'Two.' },
    { title: 'Twice', anchor: 'twice-1', text: 'Three.' },
  ]);
  assert.ok(!text.includes('Back'));
});

test('a line of code is no heading', () => {
  const { title, sections } = parseGuide('x', '# Shell\n\n```sh\n# a comment\n## another\n```\n\n## Real\n');
  assert.equal(title, 'Shell');
  assert.deepEqual(
    sections.map((section) => section.title),
    ['Real'],
  );
});

test('a guide without a title is called as its file, and an empty one has no sections', () => {
  assert.deepEqual(parseGuide('empty', ''), {
    name: 'empty',
    title: 'empty',
    intro: '',
    sections: [],
    text: '',
    markdown: '',
  });
});

test('every guide of the server has a title of its own', async () => {
  const guides = [...(await readGuides()).values()];
  assert.ok(guides.length > 20);
  assert.equal(new Set(guides.map(({ title }) => title)).size, guides.length);
  assert.ok(guides.every(({ name, title }) => name !== title));
});

test('every guide has its part in the list, and each API a guide to begin with', async () => {
  const guides = await readGuides();
  const groups = groupGuides(guides);
  assert.deepEqual(
    groups.flatMap((group) => group.guides.map(({ name }) => name)).toSorted(),
    [...guides.keys()].toSorted(),
  );
  assert.equal(
    groups.find(({ title }) => title === 'More'),
    undefined,
  );
  for (const { name, title } of Object.values(FIRST_GUIDES)) assert.equal(guides.get(name)?.title, title);
});

test('the summary of a guide is its first sentence', () => {
  const intro = 'See [the page](x.md) of\n`flags` at 10.5 seconds. Then more.\n\nNext.';
  assert.equal(summaryOf(parseGuide('x', `# X\n\n${intro}`)), 'See the page of flags at 10.5 seconds.');
  assert.equal(summaryOf(parseGuide('x', '# X\n\n```sh\nls\n```\n')), '');
});
