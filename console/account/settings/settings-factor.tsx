// The second factor of the login: turned on with an authenticator app, its recovery codes, turned off.
import '../../styles/qr-code.css';
import { useState } from 'react';
import type { Call } from '../../api/call.ts';
import { invalidateTopics, useRead } from '../../api/read.ts';
import { useSecretCall } from '../../api/secret-call.ts';
import type { RecoveryCodes, SecondFactor, SecondFactorSecret } from '../../api/types/signalbox.ts';
import { SecretOnce } from '../../lib/secret-once.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Card, KeyValues } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextInput } from '../../ui/input.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Secret } from '../../ui/code-block.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast-store.ts';
import { PresentPassword } from './present-password.tsx';
import { SESSION_TOPIC } from './settings-queries.ts';
import { FACTOR } from './settings-words.ts';

const PATH = '/me/second-factor';
const TOPIC = 'second-factor';
const FEW = 3;

type Open = 'on' | 'off' | 'codes';

export function FactorCard({ hasPassword }: { hasPassword: boolean | undefined }) {
  const { data, error, refetch } = useRead<SecondFactor>({
    call: { api: 'signalbox', path: PATH },
    topics: [TOPIC],
  });
  const [open, setOpen] = useState<Open>();
  const [codes, setCodes] = useState<string[]>();
  const close = () => setOpen(undefined);
  const done = (fresh?: string[]) => {
    setOpen(undefined);
    setCodes(fresh);
    invalidateTopics([TOPIC, SESSION_TOPIC]);
  };
  return (
    <Card title={FACTOR.title} icon="shield">
      {data === undefined && error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={2} />}
      {data !== undefined && (
        <div className="stack stack--16">
          <p className="t13">{data.isActive ? FACTOR.on : FACTOR.off}</p>
          {data.isActive && (
            <KeyValues
              items={[
                [FACTOR.since, <Time key="since" at={data.since!} />],
                [FACTOR.left, data.recoveryCodes],
              ]}
            />
          )}
          {data.isActive && data.recoveryCodes < FEW && <Banner tone="warn">{FACTOR.few}</Banner>}
          <div className="row row--wrap">
            {data.isActive ? (
              <>
                <Button onClick={() => setOpen('codes')}>{FACTOR.newCodes}</Button>
                <Button tone="danger" onClick={() => setOpen('off')}>
                  {FACTOR.turnOff}
                </Button>
              </>
            ) : (
              <Button tone="primary" onClick={() => setOpen('on')}>
                {FACTOR.turnOn}
              </Button>
            )}
          </div>
        </div>
      )}
      {open === 'on' && <TurnOn needsPassword={hasPassword !== false} onDone={done} onClose={close} />}
      {open === 'off' && (
        <WithCode
          title={FACTOR.offTitle}
          text={FACTOR.offText}
          action={FACTOR.turnOff}
          path={`${PATH}/removal`}
          onClose={close}
          onDone={() => {
            done();
            toast({ text: FACTOR.isOff });
          }}
        />
      )}
      {open === 'codes' && (
        <WithCode
          title={FACTOR.newCodes}
          action={FACTOR.newCodes}
          path={`${PATH}/recovery-codes`}
          onClose={close}
          onDone={done}
        />
      )}
      {codes !== undefined && (
        <SecretOnce
          title={FACTOR.codesTitle}
          label={FACTOR.codesLabel}
          secret={codes.join('\n')}
          onClose={() => setCodes(undefined)}
        >
          <p className="t13 muted">{FACTOR.codesText}</p>
        </SecretOnce>
      )}
    </Card>
  );
}

interface TurnOnProps {
  needsPassword: boolean;
  onDone: (codes: string[]) => void;
  onClose: () => void;
}

/** The secret is state of this dialog alone. */
function TurnOn({ needsPassword, onDone, onClose }: TurnOnProps) {
  const [current, setCurrent] = useState('');
  const [secret, setSecret] = useState<SecondFactorSecret>();
  const [code, setCode] = useState('');
  const begin = useSecretCall<SecondFactorSecret>();
  const confirm = useSecretCall<RecoveryCodes>();
  const submit = async () => {
    if (secret === undefined) {
      const answer = await begin.run(factorCall('POST', PATH, current === '' ? {} : { current }));
      setSecret(answer?.body);
      return;
    }
    const answer = await confirm.run(factorCall('PUT', PATH, { code }));
    if (answer !== undefined) onDone(answer.body.recoveryCodes);
  };
  return (
    <FormDialog
      title={FACTOR.begin}
      text={FACTOR.others}
      width={520}
      action={secret === undefined ? FACTOR.next : FACTOR.confirm}
      isBusy={begin.isBusy || confirm.isBusy}
      error={begin.error ?? confirm.error}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {secret === undefined && needsPassword && <PresentPassword value={current} onValue={setCurrent} />}
      {secret === undefined && !needsPassword && <p>{FACTOR.off}</p>}
      {secret !== undefined && (
        <>
          <p className="t13">{FACTOR.scan}</p>
          <div className="row row--wrap">
            <QrCode text={secret.address} label={FACTOR.picture} />
            <div className="fld grow">
              <span className="fld__l">{FACTOR.secret}</span>
              <Secret text={secret.secret} />
            </div>
          </div>
          <CodeField help={FACTOR.codeHelp} value={code} onValue={setCode} />
        </>
      )}
    </FormDialog>
  );
}

interface WithCodeProps {
  title: string;
  text?: string;
  action: string;
  path: string;
  onDone: (codes?: string[]) => void;
  onClose: () => void;
}

function WithCode({ title, text, action, path, onDone, onClose }: WithCodeProps) {
  const [code, setCode] = useState('');
  const { run, isBusy, error } = useSecretCall<RecoveryCodes | undefined>();
  const submit = async () => {
    const answer = await run(factorCall('POST', path, { code }));
    if (answer !== undefined) onDone(answer.body?.recoveryCodes);
  };
  return (
    <FormDialog
      title={title}
      text={text}
      width={440}
      action={action}
      isBusy={isBusy}
      error={error}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <CodeField help={FACTOR.codeOrRecovery} value={code} onValue={setCode} />
    </FormDialog>
  );
}

function CodeField(props: { help: string; value: string; onValue: (code: string) => void }) {
  const { help, value, onValue } = props;
  return (
    <Field label={FACTOR.code} help={help}>
      <TextInput
        autoComplete="one-time-code"
        spellCheck={false}
        data-autofocus
        value={value}
        onValue={onValue}
      />
    </Field>
  );
}

function factorCall(method: 'POST' | 'PUT', path: string, body: object): Call {
  return { api: 'signalbox', method, path, body, secretFields: ['current', 'code'] };
}
