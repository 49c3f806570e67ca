// What is served: one variation, or shares of several that make 100 % together.
import { useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { FieldError } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { cssVars } from '../../ui/css-vars.ts';
import { letterOf, variationText, type Variation } from '../flag.ts';
import { VariationMark } from '../served.tsx';
import { percentText, serveWords, variationName } from './clause-words.ts';
import { serveProblem } from './problems.ts';
import { TARGETING_WORDS as WORDS } from './targeting-words.ts';
import { USER, WHOLE, type Rollout, type Serve } from './targeting.ts';

const ROLLOUT = 'rollout';
/** With few variations all have a field; of many, those that are chosen. */
const FEW = 6;

export interface ServeFieldProps {
  /** Where: "rule 1". */
  where: string;
  serve: Serve;
  /** As it is saved; undefined where it is new. */
  before: Serve | undefined;
  variations: readonly Variation[];
  kinds: readonly string[];
  onChange: (serve: Serve) => void;
  isLocked: boolean;
}

export function ServeField(props: ServeFieldProps) {
  const { where, serve, before, variations, onChange, isLocked } = props;
  const { variation, rollout } = serve;
  const isChanged = before !== undefined && JSON.stringify(before) !== JSON.stringify(serve);
  const was = isChanged && before.rollout === undefined && (
    <span className="was">
      {WORDS.was} <s>{serveWords(before, variations)}</s>
    </span>
  );
  const choose = (value: string) => {
    if (value === ROLLOUT) onChange({ rollout: rolloutOf(variation ?? 0, variations) });
    else onChange({ variation: Number(value) });
  };
  return (
    <div className="stack stack--8">
      <div className="row row--wrap">
        <span className="t13 w6">{WORDS.serve}</span>
        {variation !== undefined && <VariationMark index={variation} />}
        {isLocked ? (
          <span className="mono t12">{serveWords(serve, variations)}</span>
        ) : (
          <span className="serve-select">
            <SelectInput
              aria-label={WORDS.serveIn(where)}
              controlSize="sm"
              value={rollout === undefined ? String(variation ?? '') : ROLLOUT}
              onValue={choose}
              options={[
                ...variations.map((one, index) => ({
                  value: String(index),
                  label: `${letterOf(index)}: ${variationText(one)}`,
                })),
                { value: ROLLOUT, label: WORDS.rollout },
              ]}
            />
          </span>
        )}
        {was}
      </div>
      {rollout !== undefined && <RolloutFields {...props} rollout={rollout} />}
    </div>
  );
}

/** It serves what was served before until somebody gives shares away. */
function rolloutOf(served: number, variations: readonly Variation[]): Rollout {
  const indexes = variations.map((_, index) => index);
  const shown = indexes.length <= FEW ? indexes : [served];
  return {
    contextKind: USER,
    variations: shown.map((index) => ({ variation: index, weight: index === served ? WHOLE : 0 })),
  };
}

function RolloutFields({
  serve,
  rollout,
  before,
  variations,
  kinds,
  onChange,
  isLocked,
}: ServeFieldProps & { rollout: Rollout }) {
  const id = useId();
  const shares = rollout.variations;
  const problem = serveProblem(serve);
  const set = (patch: Partial<Rollout>) => onChange({ rollout: { ...rollout, ...patch } });
  const setWeight = (at: number, weight: number) =>
    set({ variations: shares.with(at, { ...shares[at]!, weight }) });
  const old = new Map(before?.rollout?.variations.map(({ variation, weight }) => [variation, weight]));
  const sum = shares.reduce((total, { weight }) => total + Math.max(weight, 0), 0);
  const last = shares.length - 1;
  const rest = WHOLE - sum;
  const canTakeRest = problem !== undefined && (shares[last]?.weight ?? -1) + rest >= 0;
  const others = variations
    .map((_, index) => index)
    .filter((index) => !shares.some((one) => one.variation === index));
  return (
    <>
      <div className="roll roll--lg" role="img" aria-label={serveWords(serve, variations)}>
        {shares
          .filter(({ weight }) => weight > 0)
          .map(({ variation, weight }) => (
            <i key={variation} className={`v${letterOf(variation)}`} style={cssVars({ w: weight / 1000 })} />
          ))}
      </div>
      <div className="split">
        {shares.map(({ variation, weight }, at) => {
          const name = variationName(variations, variation);
          const oldWeight = old.get(variation);
          return (
            <div className="split__r" key={variation}>
              <VariationMark index={variation} />
              <span className="mono t12 cut">{name}</span>
              <PercentInput
                label={WORDS.share(name)}
                weight={weight}
                onWeight={(next) => setWeight(at, next)}
                describedBy={`${id}s`}
                isInvalid={problem !== undefined}
                isLocked={isLocked}
              />
              <span className="row row--4">
                {!isLocked && variations.length > FEW && shares.length > 1 && (
                  <Button
                    tone="ghost"
                    size="xs"
                    icon="x"
                    label={WORDS.removeShare(name)}
                    onClick={() => set({ variations: shares.toSpliced(at, 1) })}
                  />
                )}
                {oldWeight !== undefined && oldWeight !== weight && (
                  <span className="was">
                    {WORDS.was} <s>{percentText(oldWeight)} %</s>
                  </span>
                )}
              </span>
            </div>
          );
        })}
      </div>
      {!isLocked && others.length > 0 && (
        <span className="serve-select">
          <SelectInput
            aria-label={WORDS.addShare}
            controlSize="sm"
            value=""
            onValue={(index) => set({ variations: [...shares, { variation: Number(index), weight: 0 }] })}
            options={[
              { value: '', label: WORDS.addShare },
              ...others.map((index) => ({
                value: String(index),
                label: variationName(variations, index),
              })),
            ]}
          />
        </span>
      )}
      <div id={`${id}s`} className="row row--wrap" role="status">
        {problem === undefined ? (
          <span className="t12 ok">
            <Icon name="check" size={12} /> {WORDS.sum(percentText(sum))}
          </span>
        ) : (
          <FieldError>{problem}</FieldError>
        )}
        {canTakeRest && !isLocked && (
          <Button size="xs" onClick={() => setWeight(last, shares[last]!.weight + rest)}>
            {WORDS.putRest(variationName(variations, shares[last]!.variation))}
          </Button>
        )}
      </div>
      <BucketFields rollout={rollout} kinds={kinds} onChange={set} isLocked={isLocked} />
    </>
  );
}

interface PercentInputProps {
  label: string;
  weight: number;
  onWeight: (weight: number) => void;
  describedBy: string;
  isInvalid: boolean;
  isLocked: boolean;
}

/** What is typed stays as it is until the field is left. */
function PercentInput({ label, weight, onWeight, describedBy, isInvalid, isLocked }: PercentInputProps) {
  const [typed, setTyped] = useState<string>();
  return (
    <span className="unit">
      <TextInput
        inputMode="decimal"
        controlSize="sm"
        isMono
        aria-label={label}
        aria-invalid={isInvalid || undefined}
        aria-describedby={describedBy}
        readOnly={isLocked}
        value={typed ?? (weight < 0 ? '' : percentText(weight))}
        onFocus={(event) => event.target.select()}
        onBlur={() => setTyped(undefined)}
        onValue={(text) => {
          setTyped(text);
          onWeight(weightOf(text));
        }}
      />
      <span>%</span>
    </span>
  );
}

/** -1 for what is no percentage. */
function weightOf(text: string): number {
  const plain = text.trim().replace(',', '.');
  if (!/^\d{1,3}(\.\d{0,3})?$/.test(plain)) return -1;
  return Math.round(Number(plain) * 1000);
}

interface BucketFieldsProps {
  rollout: Rollout;
  kinds: readonly string[];
  onChange: (patch: Partial<Rollout>) => void;
  isLocked: boolean;
}

function BucketFields({ rollout, kinds, onChange, isLocked }: BucketFieldsProps) {
  const { contextKind = USER, bucketBy = 'key', seed } = rollout;
  return (
    <div className="stack stack--4">
      <div className="row row--wrap t12 muted">
        {WORDS.bucketBy}
        {isLocked ? (
          <span className="mono">
            {contextKind} {bucketBy}
          </span>
        ) : (
          <>
            <span className="serve-select">
              <SelectInput
                aria-label={WORDS.bucketKind}
                controlSize="sm"
                value={contextKind}
                onValue={(kind) => onChange({ contextKind: kind })}
                options={[...new Set([contextKind, ...kinds])].map((kind) => ({ value: kind, label: kind }))}
              />
            </span>
            <span className="bucket-by">
              <TextInput
                aria-label={WORDS.bucketAttribute}
                controlSize="sm"
                isMono
                value={bucketBy}
                onValue={(text) => onChange({ bucketBy: text })}
              />
            </span>
          </>
        )}
      </div>
      {seed !== undefined && <p className="help">{WORDS.seed(seed)}</p>}
    </div>
  );
}
