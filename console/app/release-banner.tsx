// Says that the server has been upgraded since this page was loaded.
import { useState } from 'react';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { WORDS } from './words.ts';

export function ReleaseBanner({ release }: { release: string | undefined }) {
  const [first, setFirst] = useState(release);
  if (first === undefined && release !== undefined) setFirst(release);
  if (first === undefined || release === undefined || first === release) return null;
  return (
    <Banner
      tone="info"
      action={
        <Button size="sm" onClick={() => location.reload()}>
          {WORDS.reload}
        </Button>
      }
    >
      {WORDS.newRelease}
    </Banner>
  );
}
