// Answers that must stay as they are: kept in this browser by the policy that they are about, and asked on each edit.
import '../../styles/policy.css';
import { useDraft } from '../../app/drafts.ts';
import { Button } from '../../ui/button.tsx';
import { Badge, Status } from '../../ui/status.tsx';
import { isSameQuestion, type PolicyAnswer, type PolicyQuestion } from './explain-queries.ts';
import { CASES } from './tester-words.ts';

export interface PolicyCase extends PolicyQuestion {
  isAllowed: boolean;
}

/** With the question that is typed they are as many as one call takes. */
const MAX_CASES = 49;

export function useCases(about: string) {
  const { value, change } = useDraft('policy-cases:' + about, { cases: [] as PolicyCase[] });
  const { cases } = value;
  return {
    cases,
    add: (one: PolicyCase) =>
      change({ cases: [...cases.filter((other) => !isSameQuestion(one, other)), one] }),
    remove: (one: PolicyCase) => change({ cases: cases.filter((other) => other !== one) }),
  };
}

type Answers = (question: PolicyQuestion) => PolicyAnswer | undefined;

export function failingCases(cases: readonly PolicyCase[], answerTo: Answers): PolicyCase[] {
  return cases.filter((one) => {
    const answer = answerTo(one);
    return answer !== undefined && answer.isAllowed !== one.isAllowed;
  });
}

export interface KeepCaseProps {
  answer: PolicyAnswer;
  cases: readonly PolicyCase[];
  onAdd: (one: PolicyCase) => void;
}

export function KeepCase({ answer: { action, resource, isAllowed }, cases, onAdd }: KeepCaseProps) {
  const kept = cases.find((one) => isSameQuestion(one, { action, resource }));
  const reason =
    kept?.isAllowed === isAllowed
      ? CASES.kept
      : kept === undefined && cases.length >= MAX_CASES
        ? CASES.full(MAX_CASES)
        : undefined;
  return (
    <Button
      size="sm"
      icon="plus"
      disabledReason={reason}
      onClick={() => onAdd({ action, resource, isAllowed })}
    >
      {CASES.keep(isAllowed)}
    </Button>
  );
}

export interface CaseListProps {
  cases: readonly PolicyCase[];
  answerTo: Answers;
  onAsk: (question: PolicyQuestion) => void;
  onRemove: (one: PolicyCase) => void;
}

export function CaseList({ cases, answerTo, onAsk, onRemove }: CaseListProps) {
  const failing = failingCases(cases, answerTo).length;
  const isKnown = cases.every((one) => answerTo(one) !== undefined);
  return (
    <section className="stack stack--8">
      <h3 className="h4 row">
        <span className="grow">{CASES.title}</span>
        {failing > 0 && <Badge tone="bad">{CASES.failing(failing)}</Badge>}
        {failing === 0 && isKnown && cases.length > 0 && (
          <Badge tone="ok">{CASES.passing(cases.length)}</Badge>
        )}
      </h3>
      <p className="t12 muted">{cases.length === 0 ? CASES.none : CASES.text}</p>
      <ul className="pol__cases" aria-label={CASES.title}>
        {cases.map((one) => (
          <CaseRow
            key={`${one.action} ${one.resource}`}
            one={one}
            answer={answerTo(one)}
            onAsk={() => onAsk(one)}
            onRemove={() => onRemove(one)}
          />
        ))}
      </ul>
    </section>
  );
}

interface CaseRowProps {
  one: PolicyCase;
  answer: PolicyAnswer | undefined;
  onAsk: () => void;
  onRemove: () => void;
}

function CaseRow({ one, answer, onAsk, onRemove }: CaseRowProps) {
  const { action, resource, isAllowed } = one;
  const isPassing = answer?.isAllowed === isAllowed;
  return (
    <li>
      <div className="pol__case">
        {answer === undefined ? (
          <Status tone="neutral">{CASES.unknown}</Status>
        ) : (
          <Status tone={isPassing ? 'ok' : 'bad'}>{isPassing ? CASES.passes : CASES.fails}</Status>
        )}
        <span className="t12 muted">
          {CASES.must(isAllowed)}
          {answer !== undefined && !isPassing && `, ${CASES.is(answer.isAllowed)}`}
        </span>
        <span className="t12 pol__q">
          <code>{action}</code> on <code>{resource}</code>
        </span>
      </div>
      <Button tone="ghost" size="xs" icon="search" label={CASES.ask(action, resource)} onClick={onAsk} />
      <Button tone="ghost" size="xs" icon="x" label={CASES.remove(action, resource)} onClick={onRemove} />
    </li>
  );
}
