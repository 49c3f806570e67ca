import { useState } from 'react';
import { CodeBlock, CommandTabs, Secret } from '../ui/code-block.tsx';
import { JsonDiff } from '../ui/json-diff.tsx';
import { QrCode } from '../ui/qr-code.tsx';
import { Sample } from './sample.tsx';

const before = {
  key: 'checkout-v2',
  on: true,
  tags: ['web', 'shop'],
  rules: [{ country: 'DE', share: 20 }],
  note: 'The rollout begins in Germany.',
  owner: 'bob',
  maintainers: ['ada', 'bob', 'mira', 'jon', 'priya'],
  version: 41,
};
const after = {
  ...before,
  rules: [{ country: 'DE', share: 40 }, { segment: 'beta' }],
  note: 'The rollout begins in Austria.',
  version: 42,
};

export function CodeStates() {
  const [client, setClient] = useState('curl');
  return (
    <>
      <CodeBlock text="curl --oauth2-bearer $SIGNALBOX_TOKEN https://signalbox.example.com/v2/users/me" />
      <Sample name="Code for a phone">
        <QrCode text="otpauth://totp/signalbox:ada?secret=JBSWY3DPEHPK3PXP" label="Code for an app" />
      </Sample>
      <CommandTabs
        chosen={client}
        onChoose={setClient}
        items={[
          {
            id: 'curl',
            label: 'curl',
            text: 'curl \\\n  https://signalbox.example.com/api/v2/flags/default',
          },
          { id: 'js', label: 'JavaScript', text: "await fetch('/api/v2/flags/default')" },
          { id: 'python', label: 'Python', text: "requests.get('/api/v2/flags/default')" },
        ]}
      />
      <Secret text="sbx_live_4Qm8tZr2VhK9xWc6JpLd3NfYb7GsAe1u" />
      <Sample name="Difference" isStack>
        <JsonDiff before={before} after={after} />
      </Sample>
      <Sample name="Nothing before; no difference" isStack>
        <JsonDiff before={undefined} after={{ key: 'dark-mode' }} />
        <JsonDiff before={before} after={before} />
      </Sample>
    </>
  );
}
