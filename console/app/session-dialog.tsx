// Over a page whose session has ended: log in again, and everything goes on. Nothing of the page is lost.
import { useEffect, useState, type FormEvent } from 'react';
import { ROOT } from '../api/server.ts';
import { ApiError } from '../api/error.ts';
import { logIn, type SessionState } from '../api/session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { TextInput } from '../ui/input.tsx';
import { WORDS } from './words.ts';

const CODE_FIELD = 'login-code';

function loginAddress(): string {
  return `${ROOT}/session?${new URLSearchParams({ return: location.pathname + location.search }).toString()}`;
}

export default function SessionDialog({ state, name: known }: { state: SessionState; name: string }) {
  return state === 'left' ? <LeftDialog /> : <LoginDialog known={known} />;
}

function LeftDialog() {
  return (
    <Dialog
      title={WORDS.session.left}
      width={440}
      onClose={undefined}
      footer={
        <a className="btn btn--pri" href={loginAddress()}>
          {WORDS.session.toLogin}
        </a>
      }
    >
      <p>{WORDS.session.leftText}</p>
    </Dialog>
  );
}

function LoginDialog({ known }: { known: string }) {
  const [name, setName] = useState(known);
  const [password, setPassword] = useState('');
  const [challenge, setChallenge] = useState<string>();
  const [code, setCode] = useState('');
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  // The field takes the place of those that had the focus.
  useEffect(() => {
    if (challenge !== undefined) document.querySelector<HTMLElement>(`[data-field="${CODE_FIELD}"]`)?.focus();
  }, [challenge]);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const asked = await logIn(challenge === undefined ? { name, password } : { challenge, code });
      if (asked === undefined) return;
      setChallenge(asked);
      setBusy(false);
    } catch (failure) {
      setError(failure instanceof ApiError ? failure.message : String(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={WORDS.session.title}
      width={440}
      onClose={undefined}
      footer={
        <>
          <a className="btn btn--ghost" href={loginAddress()}>
            {WORDS.session.byLink}
          </a>
          <span className="grow" />
          <Button tone="primary" type="submit" form="renew" isBusy={isBusy}>
            {WORDS.session.logIn}
          </Button>
        </>
      }
    >
      <p className="muted">{WORDS.session.text}</p>
      <form id="renew" className="stack" onSubmit={(event) => void submit(event)}>
        {challenge === undefined ? (
          <>
            <Field label={WORDS.session.name}>
              <TextInput autoComplete="username" value={name} onValue={setName} />
            </Field>
            <Field label={WORDS.session.password} error={error}>
              <TextInput
                type="password"
                autoComplete="current-password"
                data-autofocus
                value={password}
                onValue={setPassword}
              />
            </Field>
          </>
        ) : (
          <Field label={WORDS.session.code} error={error}>
            <TextInput
              autoComplete="one-time-code"
              spellCheck={false}
              data-field={CODE_FIELD}
              value={code}
              onValue={setCode}
            />
          </Field>
        )}
      </form>
    </Dialog>
  );
}
