// The messages of merges: each setting, and what callers send instead.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_REPOSITORY_SETTINGS as SETTINGS } from '../repositories/repository.ts';
import { mergeMessage, squashMessage } from './commit-message.ts';

const pull = { number: 7, title: 'Faster trains', body: 'Why:\r\nslow.\r\n', from: 'ada/fast' };
const none = { messages: [], coAuthors: [] };
const two = { messages: ['One\n\nbecause\n', 'Two\n'], coAuthors: ['Bob <bob@x.test>'] };

test('a merge names the pull request and its branch, or its title and text, by the settings', () => {
  const message = (title: 'PR_TITLE' | 'MERGE_MESSAGE', body: 'PR_BODY' | 'PR_TITLE' | 'BLANK') =>
    mergeMessage({ mergeCommitTitle: title, mergeCommitMessage: body }, pull, {});
  assert.equal(message('MERGE_MESSAGE', 'PR_TITLE'), 'Merge pull request #7 from ada/fast\n\nFaster trains');
  assert.equal(message('PR_TITLE', 'PR_BODY'), 'Faster trains (#7)\n\nWhy:\nslow.');
  assert.equal(message('PR_TITLE', 'BLANK'), 'Faster trains (#7)');
  assert.equal(mergeMessage(SETTINGS, pull, { title: 'Own', message: '' }), 'Own');
  assert.equal(
    mergeMessage(SETTINGS, pull, { title: ' ', message: 'Own' }),
    'Merge pull request #7 from ada/fast\n\nOwn',
  );
});

test('a squash has the title of its only commit or of the pull request, by the setting', () => {
  const settings = { ...SETTINGS, squashMergeCommitTitle: 'PR_TITLE' as const };
  const one = { messages: ['Only\n\nits text\n'], coAuthors: [] };
  assert.equal(squashMessage(SETTINGS, pull, one, {}), 'Only (#7)\n\nits text');
  assert.equal(squashMessage(settings, pull, one, {}), 'Faster trains (#7)\n\nits text');
  assert.match(squashMessage(SETTINGS, pull, two, {}), /^Faster trains \(#7\)\n/);
  assert.equal(squashMessage(SETTINGS, pull, { ...one, messages: ['\n'] }, {}), 'Faster trains (#7)');
});

test('a squash lists the messages of its commits, has the text of the pull request, or none', () => {
  const body = (squashMergeCommitMessage: 'PR_BODY' | 'COMMIT_MESSAGES' | 'BLANK') =>
    squashMessage({ ...SETTINGS, squashMergeCommitMessage }, pull, two, {}).slice(
      'Faster trains (#7)'.length,
    );
  const trailer = '\n\nCo-authored-by: Bob <bob@x.test>';
  assert.equal(body('COMMIT_MESSAGES'), `\n\n* One\n\nbecause\n\n* Two${trailer}`);
  assert.equal(body('PR_BODY'), `\n\nWhy:\nslow.${trailer}`);
  assert.equal(body('BLANK'), trailer);
});

test('who is named by the message already is not named again', () => {
  const sent = { title: 'Own', message: 'Text\n\nco-authored-by: Bob <bob@x.test>' };
  assert.equal(squashMessage(SETTINGS, pull, two, sent), `Own\n\n${sent.message}`);
});

test('messages of commits that do not fit are left out', () => {
  const messages = Array.from({ length: 100 }, (_, index) => `${index} ${'x'.repeat(1000)}`);
  const message = squashMessage(SETTINGS, pull, { ...none, messages }, {});
  assert.ok(message.length < 66_000 && message.includes('* 64 ') && !message.includes('* 65 '));
});
