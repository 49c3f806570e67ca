// May somebody do something: a question about oneself, a member, a token or a role. The address holds all of it.
import '../../styles/policy.css';
import { usePageInfo } from '../../app/page-info.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState } from '../../lib/search-state.ts';
import { Card } from '../../ui/card.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { AnswerView } from './answer-view.tsx';
import { useExplained } from './explain-queries.ts';
import { QuestionFields, useTypedQuestion } from './question-fields.tsx';
import { SubjectFields, subjectIn } from './subject-fields.tsx';
import { TESTER } from './tester-words.ts';

export default function TesterPage() {
  usePageInfo([{ label: TESTER.account }, { label: TESTER.title }]);
  const state = useSearchState('/account/tester');
  const question = useTypedQuestion(state);
  const { asked } = question;
  const subject = subjectIn(state);
  const { answerTo, error, retry } = useExplained(subject, asked === undefined ? [] : [asked]);
  const answer = asked && answerTo(asked);
  return (
    <main id="main" className="page page--mid" tabIndex={-1}>
      <PageHead title={TESTER.title} meta={TESTER.text} />
      <div className="pol__cols">
        <Card label={TESTER.who}>
          <div className="stack stack--16">
            <SubjectFields state={state} />
            <QuestionFields question={question} />
          </div>
        </Card>
        <Card label={TESTER.decides}>
          <div className="stack stack--16">
            {error !== null ? (
              <ReadProblem error={error} onRetry={retry} isPlain />
            ) : answer !== undefined ? (
              <AnswerView answer={answer} />
            ) : asked === undefined || subject === undefined ? (
              <p className="t13 muted">{TESTER.ask}</p>
            ) : (
              <Skeleton lines={4} />
            )}
            <p className="t12 muted">{TESTER.beyond}</p>
          </div>
        </Card>
      </div>
    </main>
  );
}
