// The calls that this page has made, each as a command or a program that does the same. The page stays usable above it.
import '../styles/drawer.css';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { listCalls, nameOf, onCalls, type LoggedCall } from '../api/call-log.ts';
import { addressOf, type Call } from '../api/call.ts';
import { CLIENT_NAMES, clientsOf, snippetOf } from '../api/snippets.ts';
import { Button } from '../ui/button.tsx';
import { CommandTabs } from '../ui/code-block.tsx';
import { useDraftCall } from './draft-call.ts';
import { DRAWER } from './drawer-words.ts';
import { savePreferences, useMe, usePreferences } from './me.ts';

/** Of one call, the last time that it was made: a list that is read again is one line. */
function distinct(calls: readonly LoggedCall[]): LoggedCall[] {
  const byName = new Map<string, LoggedCall>();
  for (const one of calls) byName.set(nameOf(one.call), one);
  return [...byName.values()].toReversed();
}

export default function ApiDrawer({ onClose }: { onClose: () => void }) {
  const calls = distinct(useSyncExternalStore(onCalls, listCalls));
  const draft = useDraftCall();
  const [chosenId, setChosen] = useState<number>();
  const chosen = calls.find(({ id }) => id === chosenId);
  const call = chosen?.call ?? draft ?? calls[0]?.call;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && document.querySelector('dialog:modal') === null) onClose();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [onClose]);
  return (
    <section className="drawer api" aria-label={DRAWER.title}>
      <div className="api__h">
        <h2>{DRAWER.title}</h2>
        <p className="grow muted t13 no-s">{DRAWER.text}</p>
        <Button tone="ghost" size="sm" icon="x" label={DRAWER.close} onClick={onClose} />
      </div>
      <div className="api__b">
        <ul className="api__l">
          {draft !== undefined && (
            <CallRow
              call={draft}
              note={DRAWER.draft}
              isChosen={call === draft}
              onChoose={() => setChosen(undefined)}
            />
          )}
          {calls.map((one) => (
            <CallRow
              key={one.id}
              call={one.call}
              logged={one}
              isChosen={one.call === call}
              onChoose={() => setChosen(one.id)}
            />
          ))}
        </ul>
        {call === undefined ? (
          <p className="api__s muted">{DRAWER.none}</p>
        ) : (
          <Snippet call={call} requestId={chosen?.requestId} />
        )}
      </div>
    </section>
  );
}

function Snippet({ call, requestId }: { call: Call; requestId: string | undefined }) {
  const { client = 'curl' } = usePreferences();
  const program = useMe().data?.server.program;
  return (
    <div className="api__s">
      <CommandTabs
        items={clientsOf(call).map((one) => ({
          id: one,
          label: CLIENT_NAMES[one],
          text: snippetOf(call, one, { program }),
        }))}
        chosen={client}
        onChoose={(one) => savePreferences({ client: one })}
      />
      {requestId !== undefined && (
        <p className="muted t12">
          {DRAWER.requestId} <code>{requestId}</code>
        </p>
      )}
    </div>
  );
}

interface CallRowProps {
  call: Call;
  logged?: LoggedCall;
  note?: string;
  isChosen: boolean;
  onChoose: () => void;
}

function CallRow({ call, logged, note, isChosen, onChoose }: CallRowProps) {
  const { method = 'GET' } = call;
  const { status, ms, remaining, limit } = logged ?? {};
  const isBad = status !== undefined && (status === 0 || status >= 400);
  return (
    <li>
      <button type="button" className="api__c" aria-pressed={isChosen} onClick={onChoose}>
        <span className={`verb verb-${method.toLowerCase()}`}>{method}</span>
        <span className="cut">{addressOf(call)}</span>
        <span className={isBad ? 'bad' : 'muted'}>
          {note ?? (status === 0 ? DRAWER.noAnswer : (status ?? '…'))}
        </span>
        <span className="muted">{ms === undefined ? '' : `${ms} ms`}</span>
        <span className="muted">{remaining === undefined ? '' : DRAWER.left(remaining, limit)}</span>
      </button>
    </li>
  );
}
