/** A private word about an input, addressed to the one who pressed or typed, where they did. */
import type { Input } from "../core/input.js";
import type { NoticeOrder } from "../ports/channel.js";

type Word = Pick<NoticeOrder, "text" | "tone" | "buttons">;

/** The order for `word` about `input`; nothing of what the person wrote is in it but what the word says. */
export function noticeFor(input: Input, word: Word): NoticeOrder {
  const { conversation, direct, sender, thread, handle } = input;
  return {
    ...word,
    conversation,
    direct,
    userId: sender.userId,
    ...(thread === undefined ? {} : { thread }),
    ...(handle === undefined ? {} : { handle }),
    ...("message" in input ? { aboutMessageId: input.message.id } : {}),
  };
}
