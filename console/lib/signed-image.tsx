// An image of this server. The browser can send no header for it, so a link is signed when it comes near the window: two thousand
// images in a text would be two thousand links.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Call } from '../api/call.ts';
import { keyOf } from '../api/read.ts';
import { useInView } from './in-view.ts';
import { signLink } from './signed-link.ts';

/** A link is good for a minute. */
const FRESH_MS = 50_000;

/** Where it cannot be shown, its text stands there. */
export function SignedImage({ call, alt }: { call: Call; alt: string }) {
  const [failed, setFailed] = useState<string>();
  const { ref, isSeen } = useInView<HTMLSpanElement>();
  const { data: src, isError } = useQuery({
    queryKey: [...keyOf(call), 'image'],
    queryFn: () => signLink(call),
    enabled: isSeen,
    staleTime: FRESH_MS,
    gcTime: 0,
    // The image stays as it is drawn; another link would fetch it again.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: false,
  });
  if (isError || (src !== undefined && failed === src)) return <span className="muted">{alt}</span>;
  return (
    <span ref={ref} className="signed-img">
      {src !== undefined && <img src={src} alt={alt} onError={() => setFailed(src)} />}
    </span>
  );
}
