// What a context gets: from the draft beside what is saved, and why.
import type { Flag } from '../flag.ts';
import { VariationMark } from '../served.tsx';
import type { Evaluation, TriedContext } from './evaluation.ts';
import { Steps, Trace } from './trace.tsx';
import { TRY_WORDS as WORDS } from './try-words.ts';

export interface OutcomeProps {
  flag: Flag;
  environment: string;
  result: TriedContext;
}

export function Outcome({ flag, environment, result: { saved, draft, isDifferent } }: OutcomeProps) {
  const version = flag.environments?.[environment]?.version;
  return (
    <>
      <section className="stack stack--8">
        <div className="pair">
          {draft !== undefined && (
            <div className="is-on">
              <h3>{WORDS.draft}</h3>
              <Value evaluation={draft} />
            </div>
          )}
          <div>
            <h3>{version === undefined ? WORDS.now : WORDS.nowVersion(version)}</h3>
            <Value evaluation={saved} />
          </div>
        </div>
        {draft !== undefined && (
          <p className="t12 muted">{isDifferent === true ? WORDS.differs : WORDS.same}</p>
        )}
      </section>
      {draft === undefined ? (
        <Trace title={WORDS.why} evaluation={saved} />
      ) : (
        <>
          <Trace title={WORDS.whyDraft} evaluation={draft} />
          <section>
            <details>
              <summary className="t13">{WORDS.whySaved}</summary>
              <Steps evaluation={saved} />
            </details>
          </section>
        </>
      )}
    </>
  );
}

function Value({ evaluation: { value, variationIndex } }: { evaluation: Evaluation }) {
  if (variationIndex === undefined) return <p className="muted t13">{WORDS.nothing}</p>;
  return (
    <p className="row w6">
      <VariationMark index={variationIndex} />
      <span className="mono cut">{JSON.stringify(value)}</span>
    </p>
  );
}
