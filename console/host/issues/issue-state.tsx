// What became of an issue or a pull request: a word with a glyph.
import type { IconName } from '../../ui/icon.tsx';
import { Status, type StatusTone } from '../../ui/status.tsx';
import { outcomeOf, type Issue, type IssueOutcome } from './issue.ts';
import { ISSUES } from './issue-words.ts';

const TONES: Readonly<Record<IssueOutcome, StatusTone>> = {
  open: 'ok',
  draft: 'neutral',
  closed: 'bad',
  not_planned: 'neutral',
  duplicate: 'neutral',
  merged: 'run',
};

function iconOf(outcome: IssueOutcome, isPull: boolean): IconName {
  if (outcome === 'merged') return 'merge';
  if (isPull) return 'pull';
  if (outcome === 'open') return 'ring';
  return outcome === 'closed' ? 'ok' : 'minus';
}

export interface IssueStateProps {
  outcome: IssueOutcome;
  isPull: boolean;
  isPill?: boolean;
}

export function IssueState({ outcome, isPull, isPill }: IssueStateProps) {
  const isDone = outcome === 'closed' && !isPull;
  return (
    <Status tone={isDone ? 'run' : TONES[outcome]} icon={iconOf(outcome, isPull)} isPill={isPill}>
      {ISSUES.states[outcome]}
    </Status>
  );
}

export function StateOf({ issue }: { issue: Issue }) {
  return <IssueState outcome={outcomeOf(issue)} isPull={issue.pull_request !== undefined} />;
}
