"""What people read is short: at most twenty words a sentence."""

from tests.house.sentences import sentences

MOST = 20


def test_no_sentence_has_more_than_twenty_words() -> None:
    lengths = {
        (key, one): len([word for word in one.split() if any(map(str.isalnum, word))]) for key, one in sentences()
    }
    assert [place for place, length in lengths.items() if length > MOST] == []
