"""What people read is short: at most twenty words a sentence."""

from tests.house.sentences import sentences

MAX_LENGTH = 20


def test_no_sentence_has_more_than_twenty_words() -> None:
    lengths = {
        (key, sentence): len([word for word in sentence.split() if any(map(str.isalnum, word))])
        for key, sentence in sentences()
    }
    assert [place for place, length in lengths.items() if length > MAX_LENGTH] == []
