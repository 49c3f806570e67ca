// Whether an element has come near the window. What is long is drawn then.
import { useEffect, useRef, useState } from 'react';

/** So early that scrolling seldom shows an empty place. */
const MARGIN = '600px';

/** Once seen, it stays so. */
export function useInView<Target extends Element>() {
  const ref = useRef<Target>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (element === null || isSeen) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
      },
      { rootMargin: MARGIN },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isSeen]);
  return { ref, isSeen };
}

/** As long as it is near. What is far again need not stay drawn. */
export function useNear<Target extends Element>(isWatched: boolean) {
  const ref = useRef<Target>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (element === null || !isWatched) return undefined;
    const observer = new IntersectionObserver((entries) => setNear(entries.at(-1)?.isIntersecting === true), {
      rootMargin: MARGIN,
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [isWatched]);
  return { ref, isNear };
}
