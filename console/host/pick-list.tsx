// A choice from a list that is as long as people make it: with a filter, one or several, in a popover.
import { useState, type ReactElement } from 'react';
import { Button, type ButtonProps } from '../ui/button.tsx';
import { FilterInput } from '../ui/input.tsx';
import { Icon } from '../ui/icon.tsx';
import { Popover } from '../ui/popover.tsx';
import { Skeleton } from '../ui/states.tsx';
import { Swatch } from './issues/label-tag.tsx';
import { ISSUES } from './issues/issue-words.ts';
import '../styles/pick-list.css';

export interface PickOption {
  id: string;
  label: string;
  detail?: string | undefined;
  /** Of a label. */
  color?: string | undefined;
}

export interface PickListProps {
  trigger: ReactElement<ButtonProps>;
  label: string;
  /** Undefined while they are read. */
  options: readonly PickOption[] | undefined;
  chosen: readonly string[];
  onToggle: (id: string) => void;
  /** One alone can be chosen, and the list closes then. */
  isSingle?: boolean;
  hasMore?: boolean;
  readMore?: () => void;
}

export function PickList({ trigger, label, ...list }: PickListProps) {
  return (
    <Popover trigger={trigger} label={label}>
      {(close) => <Options label={label} {...list} close={close} />}
    </Popover>
  );
}

type OptionsProps = Omit<PickListProps, 'trigger'> & { close: () => void };

function Options(props: OptionsProps) {
  const { label, options, chosen, onToggle, isSingle = false, hasMore = false, readMore, close } = props;
  const [typed, setTyped] = useState('');
  const words = typed.trim().toLowerCase();
  const shown = options?.filter(({ label: name }) => name.toLowerCase().includes(words));
  return (
    <div className="picks">
      <FilterInput value={typed} onChange={setTyped} label={ISSUES.pick.filter} hasSlashKey={false} />
      {shown === undefined ? (
        <Skeleton lines={4} />
      ) : shown.length === 0 ? (
        <p className="muted t13">{words === '' ? ISSUES.pick.empty : ISSUES.pick.nothing}</p>
      ) : (
        <ul className="picks__l" aria-label={label}>
          {shown.map((option) => (
            <li key={option.id}>
              <button
                type="button"
                aria-pressed={chosen.includes(option.id)}
                onClick={() => {
                  onToggle(option.id);
                  if (isSingle) close();
                }}
              >
                <Icon name="check" className={chosen.includes(option.id) ? 'acc' : 'picks__off'} />
                {option.color !== undefined && <Swatch color={option.color} />}
                <span className="two grow">
                  <span className="cut">{option.label}</span>
                  {option.detail !== undefined && option.detail !== '' && (
                    <small className="cut">{option.detail}</small>
                  )}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {hasMore && (
        <Button size="sm" onClick={readMore}>
          {ISSUES.pick.more}
        </Button>
      )}
    </div>
  );
}

/** What a list offers is read when somebody points at its button. */
export function useAsked() {
  const [isAsked, setAsked] = useState(false);
  return { isAsked, ask: { onPointerEnter: () => setAsked(true), onFocus: () => setAsked(true) } };
}

/** Without the one that was there, or with the one that was not. */
export function toggledIn(ids: readonly string[], id: string): string[] {
  return ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id];
}
