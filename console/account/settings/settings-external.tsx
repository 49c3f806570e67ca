// The connection with the identity provider of the operator, where there is one.
import { useEffect, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { Call } from '../../api/call.ts';
import { invalidateTopics, useChange, useRead } from '../../api/read.ts';
import { useSecretCall } from '../../api/secret-call.ts';
import type { ExternalLogin, ExternalLoginAddress } from '../../api/types/signalbox.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Card, KeyValues } from '../../ui/card.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast-store.ts';
import { PresentPassword } from './present-password.tsx';
import { EXTERNAL } from './settings-words.ts';

const PATH = '/me/external-login';
const TOPIC = 'external-login';

export function ExternalCard({ hasPassword }: { hasPassword: boolean | undefined }) {
  const { data } = useRead<ExternalLogin>({ call: { api: 'signalbox', path: PATH }, topics: [TOPIC] });
  const [isAsking, setAsking] = useState(false);
  const problem = useProof();
  const end = useChange<void>(() => ({ api: 'signalbox', method: 'DELETE', path: PATH }), [TOPIC]);
  if (data?.provider === undefined) return null;
  const { provider, connected } = data;
  return (
    <Card title={provider} icon="link">
      <div className="stack stack--16">
        {problem !== undefined && <Banner tone="bad">{problem}</Banner>}
        {end.error !== null && <Banner tone="bad">{end.error.message}</Banner>}
        <p className="t13">{connected === undefined ? EXTERNAL.off(provider) : EXTERNAL.on(provider)}</p>
        {connected !== undefined && (
          <KeyValues
            items={[
              [EXTERNAL.account, connected.email ?? EXTERNAL.nameless],
              [EXTERNAL.since, <Time key="since" at={connected.since} />],
            ]}
          />
        )}
        <div className="row row--wrap">
          {connected === undefined ? (
            <Button tone="primary" onClick={() => setAsking(true)}>
              {EXTERNAL.connect}
            </Button>
          ) : (
            <Button
              tone="danger"
              isBusy={end.isPending}
              disabledReason={hasPassword === false ? EXTERNAL.passwordFirst : undefined}
              onClick={() => end.mutate(undefined, { onSuccess: () => toast({ text: EXTERNAL.ended }) })}
            >
              {EXTERNAL.end}
            </Button>
          )}
        </div>
      </div>
      {isAsking && (
        <ConnectDialog
          provider={provider}
          needsPassword={hasPassword !== false}
          onClose={() => setAsking(false)}
        />
      )}
    </Card>
  );
}

/** Who comes back from the provider has a proof in the address; the call that uses it up needs the session of this page. */
function useProof(): string | undefined {
  const proof = new URLSearchParams(useSearch()).get('connect');
  const [, navigate] = useLocation();
  const { run, error } = useSecretCall<undefined>();
  const used = useRef<string>(undefined);
  useEffect(() => {
    if (proof === null || used.current === proof) return;
    used.current = proof;
    navigate('/account/settings', { replace: true });
    const call: Call = {
      api: 'signalbox',
      method: 'PUT',
      path: PATH,
      body: { proof },
      secretFields: ['proof'],
    };
    void run(call).then((answer) => {
      if (answer === undefined) return;
      toast({ text: EXTERNAL.connected, tone: 'ok' });
      invalidateTopics([TOPIC]);
    });
  }, [proof, navigate, run]);
  return error?.message;
}

interface ConnectDialogProps {
  provider: string;
  needsPassword: boolean;
  onClose: () => void;
}

function ConnectDialog({ provider, needsPassword, onClose }: ConnectDialogProps) {
  const [current, setCurrent] = useState('');
  const { run, isBusy, error } = useSecretCall<ExternalLoginAddress>();
  const submit = async () => {
    const body = current === '' ? {} : { current };
    const answer = await run({
      api: 'signalbox',
      method: 'POST',
      path: PATH,
      body,
      secretFields: ['current'],
    });
    if (answer !== undefined) location.assign(answer.body.url);
  };
  return (
    <FormDialog
      title={EXTERNAL.title(provider)}
      text={EXTERNAL.way(provider)}
      width={440}
      action={EXTERNAL.go(provider)}
      isBusy={isBusy}
      error={error}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {needsPassword && <PresentPassword value={current} onValue={setCurrent} />}
    </FormDialog>
  );
}
