// The tester beside the editor: a question about the draft, its answer, and the cases that must hold.
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Card } from '../../ui/card.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { AnswerView } from '../tester/answer-view.tsx';
import { AttributeFields } from '../tester/attribute-fields.tsx';
import type { PolicyQuestion } from '../tester/explain-queries.ts';
import { QuestionFields } from '../tester/question-fields.tsx';
import { CaseList, KeepCase } from '../tester/saved-cases.tsx';
import { TESTER } from '../tester/tester-words.ts';
import type { RoleTest } from './use-role-test.ts';

export interface RoleTesterProps {
  test: RoleTest;
  /** Shows a statement in the editor. */
  onShow: (index: number) => void;
}

export function RoleTester({ test, onShow }: RoleTesterProps) {
  const { question, answer, answerTo, saved } = test;
  const ask = ({ action, resource }: PolicyQuestion) => {
    question.setAction(action);
    question.setResource(resource);
  };
  return (
    <Card title={TESTER.title} icon="shield" className="pol__tester">
      <div className="stack stack--16">
        <QuestionFields question={question} />
        <AttributeFields {...test.attributes} />
        <Answer test={test} onShow={onShow} />
        {answer !== undefined && (
          <div>
            <KeepCase answer={answer} cases={saved.cases} onAdd={saved.add} />
          </div>
        )}
        <CaseList cases={saved.cases} answerTo={answerTo} onAsk={ask} onRemove={saved.remove} />
      </div>
    </Card>
  );
}

function Answer({ test: { answer, question, isFaulty, error, retry }, onShow }: RoleTesterProps) {
  if (isFaulty) return <p className="t13 warn">{TESTER.waiting}</p>;
  if (error !== null) return <ReadProblem error={error} onRetry={retry} isPlain />;
  if (question.asked === undefined) return <p className="t13 muted">{TESTER.ask}</p>;
  if (answer === undefined) return <Skeleton lines={3} />;
  return <AnswerView answer={answer} onShow={onShow} />;
}
