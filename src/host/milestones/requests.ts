// The requests about milestones, and what their fields mean.
import { Nullable, OneOf, PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { ISSUE_STATES, MAX_BODY_LENGTH, MAX_TITLE_LENGTH } from '../issues/issue.ts';
import { parseTime } from '../times.ts';
import type { Milestone } from './model.ts';

const Title = PlainText({ maxLength: MAX_TITLE_LENGTH, description: 'A repository has no two of the same' });

const OPTIONAL = {
  state: Type.Optional(OneOf(ISSUE_STATES)),
  description: Type.Optional(Nullable(PlainText({ maxLength: MAX_BODY_LENGTH }))),
  due_on: Type.Optional(
    Nullable(
      PlainText({ description: 'A time such as 2026-01-31T12:00:00Z, or a day, which is its beginning' }),
    ),
  ),
};

export const MilestoneCreation = Type.Object({ title: Title, ...OPTIONAL }, { $id: 'milestone-creation' });
export const MilestoneUpdate = Type.Object(
  { title: Type.Optional(Title), ...OPTIONAL },
  { $id: 'milestone-update' },
);

/** What is sent of a milestone; absent fields stay. */
export type MilestoneEdit = Partial<Pick<Milestone, 'title' | 'description' | 'state' | 'dueOn'>>;

export function editOf(sent: Static<typeof MilestoneUpdate>): MilestoneEdit {
  const { title, description, state, due_on: due } = sent;
  return {
    ...(title !== undefined && { title: checkedMilestoneTitle(title) }),
    ...(description !== undefined && { description: description || null }),
    ...(state !== undefined && { state }),
    ...(due !== undefined && { dueOn: due === null ? null : dueTimeIn(due) }),
  };
}

export function checkedMilestoneTitle(sent: string): string {
  const title = sent.trim();
  if (title === '') throw problem('title', 'must not be empty');
  return title;
}

const DUE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/i;

/** Some clients send days. Replies have no milliseconds, so none are kept. */
function dueTimeIn(text: string): number {
  if (!DUE.test(text)) throw problem('due_on', 'must be a time such as 2026-01-31T12:00:00Z');
  return Math.floor(parseTime('due_on', text) / 1000) * 1000;
}
