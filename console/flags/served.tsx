// What an environment serves: variations with their letters and shares, and how many rules come before.
import '../styles/variation.css';
import { Status } from '../ui/status.tsx';
import { letterOf, servedIn, variationText, type Flag, type FlagConfig, type Share } from './flag.ts';
import { WORDS } from './words.ts';

export function VariationMark({ index }: { index: number }) {
  const letter = letterOf(index);
  return <span className={`v v${letter}`}>{letter}</span>;
}

export function VariationName({ flag, index }: { flag: Flag; index: number }) {
  const variation = flag.variations[index];
  return (
    <span className="row row--4">
      <VariationMark index={index} />
      <span className="mono t12 cut">{variation === undefined ? '' : variationText(variation)}</span>
    </span>
  );
}

/** On or off, as a word: nothing is switched here. */
export function OnOff({ isOn }: { isOn: boolean }) {
  return isOn ? <Status tone="ok">{WORDS.on}</Status> : <Status tone="neutral">{WORDS.off}</Status>;
}

export function Serves({ flag, config }: { flag: Flag; config: FlagConfig }) {
  const { shares, rules, targets, prerequisites } = servedIn(config);
  const before = [
    ...(prerequisites > 0 ? [WORDS.prerequisites(prerequisites)] : []),
    ...(targets > 0 ? [WORDS.targets(targets)] : []),
    ...(rules > 0 ? [WORDS.rules(rules)] : []),
  ];
  return (
    <span className="serves">
      {shares.length === 0 && <span className="muted">{WORDS.nothing}</span>}
      {shares.map((share) => (
        <ShareView key={share.index} flag={flag} share={share} />
      ))}
      {before.length > 0 && <span className="muted nw">{before.join(', ')}</span>}
    </span>
  );
}

function ShareView({ flag, share: { index, percent } }: { flag: Flag; share: Share }) {
  return (
    <span className="row row--4">
      <VariationName flag={flag} index={index} />
      {percent !== undefined && <span className="muted nw">{WORDS.percent(percent)}</span>}
    </span>
  );
}
