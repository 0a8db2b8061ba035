"""Stores a model's descriptions of pictures, so that the pictures can be found by text search."""

import logging
from collections.abc import Sequence

from attrs import define

from chat.session import Session, UndescribedPicture
from chat.turn import Turn
from external_memory import ExternalMemory
from llm import prompts
from llm.chat_model import ChatModel
from llm.quota import Quota
from records.errors import ModelError, PicturesRefused, ServedElsewhere, StorageError
from records.messages import NewMessage
from records.model_calls import PromptMessage

log = logging.getLogger(__name__)


def queue_pictures_for_description(turn: Turn) -> None:
    if turn.stored is not None:
        turn.session.undescribed.extend(
            UndescribedPicture(picture=picture, turn=turn.stored, incoming=turn.incoming)
            for picture in turn.incoming.pictures
            if picture.kind
        )


@define(kw_only=True, eq=False)
class PictureDescriber:
    """Describes pictures with the first of its models that accepts them."""

    _memory: ExternalMemory
    _models: Sequence[ChatModel]
    _quota: Quota

    async def describe_pictures(self, session: Session) -> None:
        """Describe the queued pictures of a session and store the descriptions. Log failures."""
        while session.undescribed:
            undescribed = session.undescribed.popleft()
            try:
                if text := await self._describe_picture(undescribed):
                    await self._store_description(session, undescribed, text)
            except (ModelError, StorageError, ServedElsewhere) as error:
                log.warning("a picture in %s stays without a description: %s", session.scope, type(error).__name__)

    async def _describe_picture(self, undescribed_picture: UndescribedPicture) -> str:
        request = prompts.make_picture_request(undescribed_picture.incoming.text_without_attachments)
        asked = PromptMessage(role="user", content=request, pictures=(undescribed_picture.picture,))
        for model in self._models:
            if model.supports_pictures is not False:
                try:
                    made = await self._quota.complete(undescribed_picture.incoming.person.id, model, [asked])
                except PicturesRefused:
                    continue
                return " ".join(made.text.split())[:1_500]
        return ""

    async def _store_description(self, session: Session, undescribed_picture: UndescribedPicture, text: str) -> None:
        scope, incoming = session.scope, undescribed_picture.incoming
        message = NewMessage(
            role="user",
            content=f"[{undescribed_picture.picture.kind}: {text}]",
            created_at=incoming.pieces[-1].sent_at,
            speaker=incoming.person.name,
            source=undescribed_picture.picture.source,
            turn=undescribed_picture.turn,
            origin="picture",
        )
        async with self._memory.open_store_if_enabled(scope.owner) as store:
            if store is not None and await store.read_messages(scope, [undescribed_picture.turn]):
                await store.append_messages(scope, [message])
