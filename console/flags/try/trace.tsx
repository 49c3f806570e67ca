// The steps of an evaluation: what was compared with what, and where it ended.
import { cssVars } from '../../ui/css-vars.ts';
import { formatCount } from '../../ui/format.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { letterOf } from '../flag.ts';
import type { Evaluation, Step, TracedRollout } from './evaluation.ts';
import { TRY_WORDS as WORDS } from './try-words.ts';

export function Trace({ title, evaluation }: { title: string; evaluation: Evaluation }) {
  const { wouldNeed = [], warnings = [] } = evaluation;
  return (
    <>
      <section>
        <h3>{title}</h3>
        <Steps evaluation={evaluation} />
        {warnings.map((warning) => (
          <p className="t12 muted" key={warning}>
            {warning}
          </p>
        ))}
      </section>
      {wouldNeed.length > 0 && (
        <section>
          <h3>{WORDS.wouldNeed}</h3>
          <ul className="t13">
            {wouldNeed.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

export function Steps({ evaluation: { trace, sentence } }: { evaluation: Evaluation }) {
  return (
    <ol className="trace">
      {trace.map((step, index) => (
        <li key={index}>
          <StepMark step={step} />
          <span>
            {step.sentence}
            {step.clauses?.map((clause, at) =>
              clause.sentence === undefined ? null : <small key={at}>{clause.sentence}</small>,
            )}
            {step.rollout !== undefined && (
              <>
                <small>{step.rollout.sentence}</small>
                <Bucket rollout={step.rollout} />
              </>
            )}
          </span>
        </li>
      ))}
      <li>
        <span className="acc">
          <Icon name="aright" />
        </span>
        <b className="w5">{sentence}</b>
      </li>
    </ol>
  );
}

function StepMark({ step: { kind, isMatch } }: { step: Step }) {
  const isPassed = isMatch === true || kind === 'default';
  const name: IconName = isPassed ? 'ok' : kind === 'prerequisite' || kind === 'off' ? 'err' : 'minus';
  return (
    <span className={isPassed ? 'ok' : 'faint'}>
      <Icon name={name} />
    </span>
  );
}

const BUCKETS = 100_000;

/** Where among the shares the context falls. */
function Bucket({ rollout: { bucket, shares } }: { rollout: TracedRollout }) {
  return (
    <span className="bucket" style={cssVars({ at: ((bucket ?? 0) / BUCKETS) * 100 })}>
      <span className="roll" aria-hidden="true">
        {shares
          .filter(({ from, to }) => to > from)
          .map(({ variationIndex = 0, from, to }) => (
            <i
              key={from}
              className={`v${letterOf(variationIndex)}`}
              style={cssVars({ w: (to - from) / 1000 })}
            />
          ))}
      </span>
      {bucket !== undefined && (
        <>
          <span className="bucket__m" />
          <span className="bucket__l">{formatCount(bucket)}</span>
        </>
      )}
    </span>
  );
}
