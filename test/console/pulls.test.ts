// What the pages of issues and pull requests compute: suggestions, conversations on lines, verdicts, outcomes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outcomeOf, type Issue } from '../../console/host/issues/issue.ts';
import {
  threadsOf,
  verdictsOf,
  type Review,
  type ReviewComment,
  type ThreadFacts,
} from '../../console/host/pulls/pull.ts';
import {
  applySuggestion,
  base64Of,
  suggestionOf,
  suggestionsIn,
  textOf,
} from '../../console/host/pulls/suggestions.ts';

test('suggestions are the blocks of that language, and one that does not end is none', () => {
  assert.deepEqual(suggestionsIn('Why?\n```suggestion\nlet a;\n\nlet b;\n```\n'), [['let a;', '', 'let b;']]);
  assert.deepEqual(suggestionsIn('```suggestion\r\na\r\n```\r\n~~~suggestion\n~~~\n'), [['a'], []]);
  assert.deepEqual(suggestionsIn('```js\nlet a;\n```\n```suggestion\nlet a;'), []);
  assert.deepEqual(suggestionsIn('```suggestions\na\n```'), []);
});

test('a suggestion may have fences of its own', () => {
  const text = 'a\n```\nb';
  assert.deepEqual(suggestionsIn(suggestionOf(text)), [text.split('\n')]);
  assert.deepEqual(suggestionsIn(suggestionOf('plain')), [['plain']]);
});

test('a file that takes a suggestion keeps its other lines and its line endings', () => {
  assert.equal(applySuggestion('a\nb\nc\n', 2, 2, ['B', 'b']), 'a\nB\nb\nc\n');
  assert.equal(applySuggestion('a\r\nb\r\nc', 1, 2, []), 'c');
  assert.equal(applySuggestion('a\r\nb\r\n', 2, 2, ['x', 'y']), 'a\r\nx\r\ny\r\n');
});

test('text goes into base64 and back, and what is no text is not changed', () => {
  const text = '\uFEFFGrüße 🚂\n';
  assert.equal(textOf(base64Of(text)), text);
  assert.equal(textOf('//8='), undefined);
  assert.equal(textOf('!'), undefined);
});

test('replies follow the comment that they reply to, with what is known of the conversation', () => {
  const comments = [{ id: 1 }, { id: 2 }, { id: 3, in_reply_to_id: 1 }] as ReviewComment[];
  const facts = [{ id: 'T', isResolved: true, comments: { nodes: [{ databaseId: 1 }] } }] as ThreadFacts[];
  assert.deepEqual(
    threadsOf(comments, facts).map((thread) => [thread.comments.map(({ id }) => id), thread.facts?.id]),
    [
      [[1, 3], 'T'],
      [[2], undefined],
    ],
  );
});

test('the last decision of a reviewer counts, and a comment takes none back', () => {
  const review = (login: string, state: Review['state']) => ({ user: { login }, state }) as Review;
  const found = verdictsOf([
    review('ada', 'CHANGES_REQUESTED'),
    review('ada', 'APPROVED'),
    review('ada', 'COMMENTED'),
    review('bob', 'COMMENTED'),
    review('bob', 'PENDING'),
    { ...review('eve', 'APPROVED'), user: null },
  ]);
  assert.deepEqual(
    found.map(({ user, state }) => `${user?.login} ${state}`),
    ['ada APPROVED', 'bob COMMENTED'],
  );
});

test('what became of an issue is one word', () => {
  const issue = (fields: Partial<Issue>) => outcomeOf({ state: 'open', ...fields } as Issue);
  assert.equal(issue({}), 'open');
  assert.equal(issue({ draft: true }), 'draft');
  assert.equal(issue({ state: 'closed', state_reason: 'completed' }), 'closed');
  assert.equal(issue({ state: 'closed', state_reason: 'not_planned' }), 'not_planned');
  assert.equal(issue({ state: 'closed', pull_request: { merged_at: '2026-01-01T00:00:00Z' } }), 'merged');
  assert.equal(issue({ state: 'closed', pull_request: { merged_at: null } }), 'closed');
});
