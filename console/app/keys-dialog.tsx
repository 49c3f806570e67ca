// All keys.
import { Dialog } from '../ui/dialog.tsx';
import { WORDS } from './words.ts';

const KEYS: readonly [string[], string][] = [
  [['Ctrl', 'K'], WORDS.keys.palette],
  [['/'], WORDS.keys.filter],
  [['a'], WORDS.keys.api],
  [['?'], WORDS.keys.all],
  [['j', 'k'], WORDS.keys.move],
  [['x'], WORDS.keys.select],
  [['Enter'], WORDS.keys.open],
  [['c'], WORDS.keys.create],
  [['e'], WORDS.keys.edit],
  [['[', ']'], WORDS.keys.neighbours],
  [['t', 'y', 'l'], WORDS.keys.code],
  [['g', 'h f r c t m l'], WORDS.keys.go],
];

export default function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={WORDS.keys.title} width={440} onClose={onClose}>
      <dl className="kv">
        {KEYS.map(([keys, words]) => (
          <div key={words} className="kv__row">
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <p className="muted t13">{WORDS.keys.off}</p>
    </Dialog>
  );
}
