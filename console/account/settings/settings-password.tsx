// Sets the password. What is typed here is in this form alone: neither the cache nor the calls of the page have it.
import { useState, type FormEvent } from 'react';
import type { Call } from '../../api/call.ts';
import { invalidateTopics } from '../../api/read.ts';
import { useSecretCall } from '../../api/secret-call.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { TextInput } from '../../ui/input.tsx';
import { Status } from '../../ui/status.tsx';
import { SESSION_TOPIC } from './settings-queries.ts';
import { PASSWORD } from './settings-words.ts';

const MIN = 8;
const MAX = 1024;
export const PASSWORD_FIELD = 'new-password';

function callOf(current: string, password: string): Call {
  return {
    api: 'signalbox',
    method: 'PUT',
    path: '/me/password',
    body: { ...(current !== '' && { current }), password },
    secretFields: ['current', 'password'],
  };
}

/** As the calls of the page show it. */
const DRAFT: Call = { ...callOf('…', '…') };

export interface PasswordCardProps {
  username: string;
  /** Undefined where it is not known. */
  hasPassword: boolean | undefined;
}

export function PasswordCard({ username, hasPassword }: PasswordCardProps) {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [isShown, setShown] = useState(false);
  const [isLeft, setLeft] = useState(false);
  const [isDone, setDone] = useState(false);
  const { run, isBusy, error, forget } = useSecretCall<undefined>();
  useSayDraft(password === '' ? undefined : DRAFT);
  const fault = password.length < MIN ? PASSWORD.short : password.length > MAX ? PASSWORD.long : undefined;
  const errorAt = (name: string) =>
    error?.fields.find(({ field }) => field.replace(/^\//, '') === name) && error.message;
  const isPlaced = errorAt('current') !== undefined || errorAt('password') !== undefined;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setLeft(true);
    if (fault !== undefined) return;
    if ((await run(callOf(current, password))) === undefined) return;
    setCurrent('');
    setPassword('');
    setLeft(false);
    setDone(true);
    invalidateTopics(['member', SESSION_TOPIC]);
  };
  const type = isShown ? 'text' : 'password';
  return (
    <Card title={PASSWORD.title} icon="lock">
      <form className="stack stack--16" noValidate onSubmit={(event) => void submit(event)}>
        {error !== undefined && !isPlaced && <Banner tone="bad">{error.message}</Banner>}
        {/* So that password managers know whose it is. */}
        <input type="text" autoComplete="username" value={username} readOnly hidden />
        {hasPassword !== false && (
          <Field label={PASSWORD.current} help={PASSWORD.currentHelp} error={errorAt('current')}>
            <TextInput
              type={type}
              autoComplete="current-password"
              value={current}
              onValue={(text) => {
                setCurrent(text);
                forget();
              }}
            />
          </Field>
        )}
        <Field
          label={PASSWORD.fresh}
          help={PASSWORD.freshHelp}
          error={isLeft && fault !== undefined ? fault : errorAt('password')}
        >
          <TextInput
            type={type}
            autoComplete="new-password"
            data-field={PASSWORD_FIELD}
            value={password}
            onValue={(text) => {
              setPassword(text);
              setDone(false);
              forget();
            }}
            onBlur={() => setLeft(password !== '')}
          />
        </Field>
        <Checkbox label={PASSWORD.show} isChecked={isShown} onChange={setShown} />
        <p className="help">{PASSWORD.others}</p>
        <div className="row row--wrap">
          <Button type="submit" tone="primary" isBusy={isBusy}>
            {PASSWORD.submit}
          </Button>
          <span role="status">{isDone && <Status tone="ok">{PASSWORD.done}</Status>}</span>
        </div>
      </form>
    </Card>
  );
}
